"""Tasks of tool use: when to call, which tool, and with which arguments."""
