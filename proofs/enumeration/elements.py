"""Addresses that hang on what memory holds: `counts[data[i]]`, where an element may be any number of its range."""

from __future__ import annotations

from dataclasses import replace

from proofs.contents import contents_of
from proofs.enumeration.ranges import narrowed
from proofs.enumeration.site import CONTENT, MARK, Site
from proofs.terms import THREAD, Poly, Symbol


def loosened(site: Site) -> Site:
    """The site with an unknown of the thread's own for each element of memory that its address speaks of.

    This only adds reads: that equal elements hold equal values, and what facts say beyond constants, is forgotten.
    """
    mapping: dict[Symbol, Poly] = {}
    ranges = dict(site.ranges or {})
    for element in contents_of([site.address]):
        low, high = element.interval
        name = element.name.replace(MARK, "")
        own = Symbol(name + MARK, CONTENT, THREAD, low, high)
        # Its coordinates stay as they are; that they are in the mapping has terms that hold the element made anew.
        mapping |= {s: Poly.symbol(s) for s in element.symbols() if s not in mapping}
        mapping[element.symbol] = Poly.symbol(own)
        ranges[own.name] = (low, high)
    if not mapping or site.ranges is None:
        return site
    conditions = tuple(c.substitute(mapping) for c in site.conditions)
    return replace(
        site, key=(*site.key, "loose"), address=site.address.substitute(mapping), conditions=conditions,
        ranges=narrowed(conditions, ranges),
    )
