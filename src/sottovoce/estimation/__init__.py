"""Numeric steps that mechanisms share: each one a function of arrays, with no plan, tally or schema in sight."""
