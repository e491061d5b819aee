"""Compressors with the verbs of GRACE (Xu et al., ICDCS 2021), as methods.

A compressor of GRACE's has compress(tensor, name), which gives a list of tensors and a context, and decompress(tensors,
context). Its files run as they are: import the class, and return an object of it from compressor().
"""

import pacbench
import torch


class Compressed(pacbench.Averager):
    """What GRACE calls residual memory and an all-gather: each rank sends its compressed gradient to all others, and adds
    what compression lost to its next one. On all ranks the tensors must have the same shapes and the contexts be equal."""

    def compressor(self):
        """Made once a rank."""
        raise NotImplementedError(f"{type(self).__name__} has no compressor()")

    async def average(self, bucket, group):
        if not hasattr(self, "_own"):
            self._own = self.compressor()
        residual = bucket.state.zeros("residual")
        residual += bucket.grad
        tensors, context = self._own.compress(residual.clone(), f"bucket{bucket.index}")
        residual -= self._own.decompress(tensors, context).view(-1)
        gathered = [await group.all_gather(tensor) for tensor in tensors]
        means = [self._own.decompress([tensor[rank] for tensor in gathered], context) for rank in range(group.size)]
        return torch.stack([mean.view(-1) for mean in means]).mean(0)


class SignWithNorm:
    """A compressor for the example: signs as bytes, and the mean magnitude."""

    def compress(self, tensor, name):
        return [tensor.sign().to(torch.int8), tensor.abs().mean().view(1)], tensor.shape

    def decompress(self, tensors, context):
        signs, scale = tensors
        return (signs * scale).view(context)


class Signs(Compressed):
    """EF-signSGD by a compressor with GRACE's verbs."""

    def compressor(self):
        return SignWithNorm()
