"""How well metrics discriminate between systems.

result.py         `discriminate`, and what comes out of it
layout.py         the table of `rankwise discriminate`
methods.py        the methods by name
sensitivity.py    Sakai's bootstrap sensitivity
swap.py           swap rates over pairs of topic sets; extrapolation.py, to more topics
error_rate.py     Ahlgren and Grönqvist's error rates
significance.py   how many pairs each statistical test finds
draws.py          topic sets drawn at random
gain_settings.py  metrics crossed with tables of gains
"""
