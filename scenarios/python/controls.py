"""Methods of pacbench again, to the bit, to see what Python costs."""

import pacbench
import torch
from pacbench.hooks.index_code import IndexCode
from pacbench.hooks.topk_hook import kept_of, largest


class AllReduce(pacbench.Averager):
    """The mean by one all-reduce, as pacbench's method all-reduce."""

    async def average(self, bucket, group):
        return (await group.all_reduce(bucket.grad)).div_(group.size)


class TopK(pacbench.Averager):
    """The entries of largest magnitude with error feedback, as pacbench's method topk."""

    ratio: float = pacbench.option(0.01, low=1e-6, high=1, share="keep")

    async def average(self, bucket, group):
        residual = bucket.state.zeros("residual")
        residual += bucket.grad
        places = largest(residual, kept_of(self.ratio, residual.numel()))
        kept, code = len(places), IndexCode(residual.numel(), len(places))
        coded = torch.nn.functional.pad(code.encode(places), (0, -code.bytes % 4))
        words = torch.cat([residual[places].view(torch.int32), coded.view(torch.int32)])
        residual[places] = 0
        mean = torch.zeros_like(residual)
        for of_rank in await group.all_gather(words):
            theirs = code.decode(of_rank[kept:].view(torch.uint8)[:code.bytes])
            mean.index_add_(0, theirs, of_rank[:kept].view(torch.float32))
        return mean.div_(group.size)
