"""What an exchange left out of a rank's gradients, to be added to the next ones.

Sources: Seide et al. 2014, doi 10.21437/Interspeech.2014-274; Karimireddy et al. 2019, arXiv 1901.09847 (error
feedback). sent + residual = gradient + old residual.
"""

import torch
import torch.distributed as dist
from torch import Tensor


class Residuals:
    """A residual for each parameter, zero at first: buckets change once, and residuals move with parameters."""

    def __init__(self) -> None:
        self._of_bucket: dict[int, tuple[tuple[int, ...], Tensor]] = {}
        self._of_parameter: dict[int, Tensor] = {}
        # Kept, so that no other object gets the identity of one of them.
        self._parameters: list[Tensor] = []

    def of(self, bucket: dist.GradBucket) -> Tensor:
        """float32[elements] in the order of the bucket, to be changed in place."""
        parameters = bucket.parameters()
        identities = tuple(map(id, parameters))
        known, residual = self._of_bucket.get(bucket.index(), ((), None))
        if residual is None or known != identities:
            residual = torch.cat([self._last(parameter) for parameter in parameters])
            self._of_bucket[bucket.index()] = identities, residual
            for identity, part in zip(identities, residual.split([at.numel() for at in parameters])):
                self._of_parameter[identity] = part
            self._parameters += parameters
        return residual

    def _last(self, parameter: Tensor) -> Tensor:
        last = self._of_parameter.get(id(parameter))
        return torch.zeros_like(parameter.detach()).flatten() if last is None else last
