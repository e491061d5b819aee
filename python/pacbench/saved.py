"""What an adapter remembers, as bytes that C++ keeps."""

import io
from typing import Any

import torch
from torch import Tensor


def bytes_of(state: dict[str, Any]) -> Tensor:
    file = io.BytesIO()
    torch.save(state, file)
    return torch.frombuffer(bytearray(file.getvalue()), dtype=torch.uint8)


def from_bytes(saved: Tensor) -> dict[str, Any]:
    return torch.load(io.BytesIO(saved.numpy().tobytes()), weights_only=True)
