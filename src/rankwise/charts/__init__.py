"""Altair charts, each a function from a frame to a chart; Altair is loaded when one is drawn.

One file a subject. `drawing.py` holds what all share: colours, sizes, and how a chart
becomes a file.
"""
