"""The paper's experiments: every figure and table by name, on any mechanism and any data.

`catalogue` describes them, `tasks` takes one apart into pieces that run alone, `runner` runs the pieces on all cores
and keeps what is done, `tables` and `plots` show the outcome.
"""
