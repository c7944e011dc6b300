"""A linter of plain English: ``python -m tools.prose PATH ...`` names each finding in one line.

It reads every sentence that a user can meet: Markdown pages, docstrings, messages, help texts,
templates and the pages of the explorer. The words it rejects are in ``words.toml``.
"""
