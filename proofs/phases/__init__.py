"""Phases: which accesses of one block may happen with nothing between them that orders them."""
