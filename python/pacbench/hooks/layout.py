"""Where the parameters of a model lie in the buckets of DistributedDataParallel."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel


@dataclass(frozen=True)
class Slice:
    """One parameter's place in a bucket."""

    parameter: int
    """Its number in the order of `model.parameters()`, which keys its random numbers."""
    name: str
    offset: int
    """How many elements of the bucket come before the parameter's first element."""
    elements: int

    def of(self, values: Tensor) -> Tensor:
        """The parameter's part of a bucket's [elements]."""
        return values.narrow(0, self.offset, self.elements)


class Layouts:
    """Says which parameters lie in a bucket. They move once, when DDP rebuilds its buckets."""

    def __init__(self, model: nn.Module):
        named = list(plain(model).named_parameters())
        self.names = [name for name, _ in named]
        # Keeps the tensors alive, so that no other object gets the id() of one of them.
        self._tensors = [tensor for _, tensor in named]
        self._named = {id(tensor): (number, name) for number, (name, tensor) in enumerate(named)}

    def of(self, bucket: dist.GradBucket) -> tuple[Slice, ...]:
        """The slices in their order. Throws ValueError when the bucket has a parameter that is not the model's."""
        slices, offset = [], 0
        for tensor in bucket.parameters():
            if id(tensor) not in self._named:
                raise ValueError(f"bucket {bucket.index()}: found a parameter of shape {list(tensor.shape)} that the "
                                 "state's model does not have; make the state for the model that "
                                 "DistributedDataParallel wraps")
            number, name = self._named[id(tensor)]
            slices.append(Slice(number, name, offset, tensor.numel()))
            offset += tensor.numel()
        return tuple(slices)

    def require(self, saved: Mapping[str, Tensor]) -> None:
        """Throws ValueError when a saved tensor has another name or size than this model's
        parameters."""
        sizes = {name: tensor.numel() for name, tensor in zip(self.names, self._tensors)}
        for name, values in saved.items():
            if sizes.get(name) != values.numel():
                raise ValueError(f"the saved state has {values.numel()} elements of {name}, expected "
                                 f"{sizes.get(name, 'no such parameter')}; load the state of a hook of the same model")


def plain(model: nn.Module) -> nn.Module:
    """The model inside of DistributedDataParallel, or the model itself."""
    return model.module if isinstance(model, DistributedDataParallel) else model


def require_keys(saved: Mapping[str, object], expected: set[str]) -> None:
    """Throws ValueError when a saved state has other keys than the hook's, so comes from another
    hook or from one with other options. Options that change no key are not compared."""
    if set(saved) != expected:
        raise ValueError(f"the saved state has {sorted(saved)}, expected {sorted(expected)}; "
                         "load it into a state with the same options")
