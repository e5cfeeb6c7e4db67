"""Queries as weights: whatever is asked of an attribute becomes one number from 0 to 1 per level."""
