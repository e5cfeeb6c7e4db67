"""An example of a plug-in for Sottovoce: see README.md beside it."""
