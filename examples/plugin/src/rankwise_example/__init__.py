"""A plug-in of rankwise: one metric, and one format to read and to write."""
