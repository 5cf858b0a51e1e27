"""Experiments on the metrics themselves: how they behave, on any data and on none."""
