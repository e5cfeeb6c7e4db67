"""Mechanisms, one per file: `design` turns a schema into questions, `fit` a tally into a model.

`sottovoce.plan.registry` lists them by name, and imports one when it is first used.
"""
