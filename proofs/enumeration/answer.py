"""What an enumeration says of a claim."""

from __future__ import annotations

from dataclasses import dataclass

from proofs.enumeration.space import Axis


@dataclass(frozen=True)
class Answer:
    """`holds`, or a candidate counterexample, or neither: then `reason` says why nothing was enumerated.

    Args:
        pins: symbols and equations in SMT-LIB that single out the candidate, in the spelling of the claim's query.
        rung: `syntactic` if the canonical form alone decided.
        axes: of each access, what was gone through besides the threads; `conditioned`: conditions were put to use.
    """

    holds: bool
    pins: tuple[tuple[str, str], ...] = ()
    reason: str = ""
    rung: str = "enumeration"
    axes: tuple[tuple[Axis, ...], ...] = ()
    conditioned: bool = False
