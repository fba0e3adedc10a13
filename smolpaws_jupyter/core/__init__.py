"""Floor 1: pure. No I/O, clock, asyncio, Jupyter or litellm."""
