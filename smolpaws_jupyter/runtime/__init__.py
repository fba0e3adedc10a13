"""Floor 2: effects, async, and still no Jupyter."""
