"""Numeric steps that mechanisms share: functions of arrays and of channels; no plan, tally or schema is in sight."""
