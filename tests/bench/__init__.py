"""What it costs: ratios measured side by side in one run, so that a noisy machine cannot decide them.

`python -m tests.bench` runs all, `python -m tests.bench steps wire` some. Figures are CPU time unless it says wall.
"""
