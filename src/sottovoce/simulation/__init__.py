"""Simulated crowds: synthetic populations, and tallies drawn as if every person had reported."""
