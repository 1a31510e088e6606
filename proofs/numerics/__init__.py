"""Error bounds: the lemmas of docs/numerics.md as queries, and the obligation they form."""
