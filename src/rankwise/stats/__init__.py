"""Statistics of scores, as arrays of systems × topics or pairs × topics; NaN is undefined."""
