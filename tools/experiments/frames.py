"""The bytes of a full frame with an MTU of 1500, and its TCP payload (base/frames.h)."""

FRAME_BYTES = 1500 + 14
SEGMENT_BYTES = 1500 - 52


def wire_bytes(payload: float) -> float:
    """The wire bytes of TCP payload that is sent in full frames."""
    return payload * FRAME_BYTES / SEGMENT_BYTES
