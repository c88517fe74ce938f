"""Tool-use tasks: when to call a tool, which one, and with which arguments."""
