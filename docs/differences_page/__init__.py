"""docs/why-numbers-differ.md: tools.py runs other tools, cases.py has the disagreements."""
