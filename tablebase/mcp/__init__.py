"""A server of the Model Context Protocol, so that language models can ask tables.

- `command`: `tablebase mcp`
- `tools`: the tools that a model may call, in the words of the commands

May import the core, `cli`, `solve`, `finding`, `serve`. Another question to tables is another tool.
"""
