"""Residuals: what an exchange left out of a rank's gradients, which is added to the next ones.

Sources: Seide et al. 2014, doi 10.21437/Interspeech.2014-274; Karimireddy et al. 2019, arXiv 1901.09847 (error
feedback). sent + residual = gradient + old residual.
"""

from collections.abc import Mapping

import torch
from torch import Tensor

from pacbench.hooks.layout import Slice


class Residuals:
    """A residual for each parameter, zero at first. When DistributedDataParallel rebuilds its
    buckets, residuals move with their parameters.

    A parameter whose whole gradient is zero keeps its residual for a later step: no rank may have used it, and then
    DistributedDataParallel drops the mean of its gradients."""

    def __init__(self) -> None:
        self._of_bucket: dict[int, tuple[tuple[Slice, ...], Tensor]] = {}
        self._of_parameter: dict[str, Tensor] = {}
        self._unused: list[Slice] = []
        """The parameters of the bucket that is being exchanged whose gradients are zero."""

    def added_to(self, values: Tensor, index: int, slices: tuple[Slice, ...]) -> Tensor:
        """The gradients of bucket `index`, float32[elements], plus the residuals of the parameters that were used."""
        self._unused = [part for part in slices if not _any(part.of(values))]
        own = self._of(index, slices, values.device) + values
        for part in self._unused:
            part.of(own).zero_()
        return own

    def keep(self, left: Tensor, mean: Tensor, index: int, slices: tuple[Slice, ...]) -> None:
        """Keeps what was left out of a bucket. Where its mean is not finite, the residuals stay as they
        were: every rank sees that mean, and a loss scaler skips such a step."""
        if torch.isfinite(mean).all():
            residual = self._of(index, slices, left.device)
            for part in self._unused:
                part.of(left).add_(part.of(residual))
            residual.copy_(left)

    def _of(self, index: int, slices: tuple[Slice, ...], device: torch.device) -> Tensor:
        known, residual = self._of_bucket.get(index, ((), None))
        if residual is None or known != slices:
            residual = torch.cat([self._last(part, device) for part in slices])
            self._of_bucket[index] = slices, residual
            for part in slices:
                self._of_parameter[part.name] = part.of(residual)
        return residual

    def _last(self, part: Slice, device: torch.device) -> Tensor:
        last = self._of_parameter.get(part.name)
        return torch.zeros(part.elements, device=device) if last is None else last.to(device)

    def state_dict(self) -> dict[str, Tensor]:
        """float32[elements] by the parameter's name."""
        return {name: residual.clone() for name, residual in self._of_parameter.items()}

    def load_state_dict(self, state: Mapping[str, Tensor]) -> None:
        self._of_parameter = {name: residual.clone() for name, residual in state.items()}
        self._of_bucket.clear()


def _any(gradient: Tensor) -> bool:
    """Whether an entry is not zero. Looks at a few first, which nearly always decide."""
    return bool(gradient[:64].any() or gradient.any())
