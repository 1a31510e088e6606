"""From which lane a shuffle reads."""

from __future__ import annotations

from typing import Any

import numpy as np


def source_lane(mode: str, lane: Any, b: Any, c: Any) -> tuple[Any, Any]:
    """PTX ISA 9.7.9.6: the lane that each lane reads from, itself where that one is out of range; and whether it is in.

    Integers, or arrays of them.
    """
    value, clamp, segment = b & 31, c & 31, c >> 8 & 31
    least, most = lane & segment, lane & segment | clamp & ~segment
    if mode == "up":
        source = lane - value
        in_range = source >= most
    elif mode == "down":
        source = lane + value
        in_range = source <= most
    else:
        source = lane ^ value if mode == "bfly" else least | value & ~segment
        in_range = source <= most
    return np.where(in_range, source, lane), in_range
