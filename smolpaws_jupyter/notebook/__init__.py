"""Floor 3: the face. All that knows about a notebook lives here; it stands on runtime and core."""
