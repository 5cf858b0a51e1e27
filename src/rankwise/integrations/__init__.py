"""rankwise inside other tools; each module needs its tool, and no other module imports it.

ir_measures.py is a provider for ir_measures, with rankwise's own metrics as measures;
pyterrier.py has tests, scores and frames for PyTerrier's experiments.
"""
