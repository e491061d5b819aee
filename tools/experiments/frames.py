"""Bytes of a full frame with an MTU of 1500, and the TCP payload that it carries (base/frames.h)."""

FRAME_BYTES = 1500 + 14
SEGMENT_BYTES = 1500 - 52


def wire_bytes(payload: float) -> float:
    """Wire bytes of TCP payload in full frames."""
    return payload * FRAME_BYTES / SEGMENT_BYTES
