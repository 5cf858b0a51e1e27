"""Results as text: aligned tables, csv, json, LaTeX, markdown."""
