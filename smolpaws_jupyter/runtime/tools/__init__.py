"""Tools: what the agent can do."""
