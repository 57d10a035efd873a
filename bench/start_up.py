#!/usr/bin/env python3
"""start_up.py PROGRAM - how long `PROGRAM version` takes as a process, beside `true`; best and median of many."""
import os
import statistics
import subprocess
import sys
import time

RUNS = 40


def measure(command):
    times = []
    for _ in range(RUNS):
        begin = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        times.append((time.perf_counter() - begin) * 1000)
    return min(times), statistics.median(times)


program = os.path.abspath(sys.argv[1])
base = measure(["true"])
ours = measure([program, "version"])
print("start-up of `structure version`: best %.1f ms, median %.1f ms; `true`: best %.1f ms; above it %.1f ms"
      % (ours[0], ours[1], base[0], ours[0] - base[0]))
