"""Memory that nobody uses any more is given back to the system, where its C library knows how.

Large bodies come in parts, which lie among small things that stay. Once they are gone the parts are free, but the
process would keep them, and a flood of uploads would count for ever.
"""

from __future__ import annotations

import ctypes


def give_back() -> bool:
    """Give free memory back to the system; return whether the C library can (glibc can)."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is None:
        return False
    trim(0)
    return True
