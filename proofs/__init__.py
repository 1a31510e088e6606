"""The prover: PTX text to records, claims, queries and verdicts. The only package that imports z3."""
