"""A way of one's own to train in parallel that changes the weights after each step."""

from dataclasses import dataclass, field

import torch
from torch import Tensor

from pacbench.averager import Averager, Bucket, Group, generator


@dataclass(frozen=True)
class Weights:
    """This rank's weights after the optimiser's step. They may be changed in place."""

    parameters: dict[str, Tensor] = field(repr=False)  #: by name, in the model's order
    state: dict[str, Tensor] = field(repr=False)  #: what stays from one iteration to the next, by names of your own
    step: int  #: from 1
    lr: float
    seed: int  #: the cell's
    rank: int

    def random(self, *, same_on_all_ranks: bool = False) -> torch.Generator:
        """A generator of this step, and of this rank or of all: the same numbers in each run of a seed."""
        return generator(self.seed, -1 if same_on_all_ranks else self.rank, self.step, -1)

    def flat(self) -> Tensor:
        """All of them, one after another: a copy, float32[elements]."""
        return torch.cat([weight.reshape(-1) for weight in self.parameters.values()])

    def set_flat(self, values: Tensor) -> None:
        """Sets all of them to values, float32[elements], in the order of flat()."""
        parts = values.split([weight.numel() for weight in self.parameters.values()])
        for weight, part in zip(self.parameters.values(), parts):
            weight.copy_(part.view_as(weight))


class Method(Averager):
    """A method whose ranks train alone for a while, with the scenario's or the task's optimiser, and then make their
    weights agree. Override after_step(). average() leaves each rank its own gradient, unless you override it too.
    scenarios/python/local_sgd.py is one.
    """

    async def average(self, bucket: Bucket, group: Group) -> Tensor:
        return bucket.grad

    async def after_step(self, weights: Weights, group: Group) -> bool:
        """Called on all ranks after the optimiser's step. Returns whether all ranks now hold the same weights, to the
        bit; the weights that did last are those that are evaluated."""
        raise NotImplementedError(f"{type(self).__name__} has no after_step()")

    def period(self) -> int:
        """The number of steps after which the calls of after_step() repeat, for mode compose."""
        return 1
