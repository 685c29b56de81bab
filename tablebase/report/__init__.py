"""Reports about tables: all their facts as data, as pictures and as pages.

- `analysis`: all facts about a table, as plain data for reports and statistics
- `command`: `tablebase report`
- `document`: pages for people: HTML that needs nothing else, or Markdown
- `pictures`: the contents of a table, drawn by matplotlib as SVG
- `survey`: one pass over a table: squares of men by result, mutual zugzwangs, symmetries

It reads tables and never changes one.

May import the core, `cli`, `finding`, `count`, `butterfly`.
"""
