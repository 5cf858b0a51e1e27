"""Numbers of ppi-python for the tests of prediction-powered means: tests/stats/ppi_peers.json.

pip install ppi-python   # in an environment of its own
python benchmarks/ppi_peers.py > tests/stats/ppi_peers.json
"""

import json

import numpy as np
from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

CASES = [(5, 40, 0.1, 1), (12, 30, 0.3, 0.7), (20, 20, 0.05, 1), (30, 400, 0.5, 0.2)]
CASES += [(10, 15, 0.2, -1), (8, 60, 0.2, 0.5)]

rng = np.random.default_rng(7)
found = []
for expert, others, noise, slope in CASES:
    size = expert + others
    truth = rng.random(size)
    y = truth + rng.normal(0, 0.05, size)
    f = slope * truth + rng.normal(0, noise, size)
    given = (y[:expert], f[:expert], f[expert:])
    low, high = (float(np.ravel(end)[0]) for end in ppi_mean_ci(*given, alpha=0.05))
    value = float(np.ravel(ppi_mean_pointestimate(*given))[0])
    columns = dict(zip(("y", "f", "new"), (part.tolist() for part in given), strict=True))
    found.append({**columns, "value": value, "low": low, "high": high})
print(json.dumps(found))
