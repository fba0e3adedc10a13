"""One file for each way of keeping a context."""
