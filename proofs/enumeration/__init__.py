"""Finite enumeration: claims about the shared memory of one block, decided by going through threads and phases.

Addresses there depend on thread numbers, stage counters and constants, so that NumPy decides in milliseconds what a
solver takes seconds for. Only "it holds" is an answer; what does not hold is a candidate that a solver completes.
"""

from __future__ import annotations

from proofs.enumeration.answer import Answer
from proofs.enumeration.apart import apart
from proofs.enumeration.evaluate import NotFinite
from proofs.enumeration.everywhere import everywhere
from proofs.enumeration.lanes import Enumerator
from proofs.enumeration.question import Apart, Everywhere, Question, Written
from proofs.enumeration.written import written

LEAST = 2**10  # what a claim counts at least


def enumerate_claim(given: Enumerator, question: Question) -> Answer:
    """Whether a claim holds, or a candidate against it, or why it cannot be enumerated."""
    try:
        given.work.spend(LEAST)
        if isinstance(question, Apart):
            return apart(given, question)
        if isinstance(question, Written):
            return written(given, question)
        return everywhere(given, question)
    except NotFinite as error:
        return Answer(False, reason=str(error))


__all__ = ["Answer", "Apart", "Enumerator", "Everywhere", "Question", "Written", "enumerate_claim"]
