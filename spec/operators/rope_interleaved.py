"""Rotary position embedding whose pairs are neighbours: elements 2 j and 2 j + 1 of a head (spec.operators.rope)."""

from __future__ import annotations

from spec.operators import rope

OPERATOR = rope.operator("rope_interleaved", rope.interleaved)
