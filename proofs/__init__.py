"""Proofs about the shipped PTX; the only package that speaks to Z3."""
