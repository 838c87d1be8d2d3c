"""densratio's uLSIF at its defaults on one data file; prints one line of JSON.

Run in an environment of its own: ``pip install densratio==0.4.0``.
"""

import json
import sys
import time
from importlib.metadata import version

import numpy as np
from densratio import densratio

data = np.load(sys.argv[1])
X, y = data["X"], data["y"]
wall, cpu = time.perf_counter(), time.process_time()
model = densratio(X[y == 1], X[y == 0], verbose=False)
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
ratio = np.asarray(model.compute_density_ratio(data["test"])).ravel()
print(
    json.dumps({"wall": wall, "cpu": cpu, "version": version("densratio"), "ratio": ratio.tolist()})
)
