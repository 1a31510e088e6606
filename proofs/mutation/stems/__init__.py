"""Mutants that belong to one kernel; one module per stem with `RULES`, `EDITS` and `EXTENSION` (None if not needed).

Every obligation needs two mutants of each kernel; an edit names the whole code of the line it changes.
"""
