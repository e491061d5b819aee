"""Methods of pacbench again, to the bit, to see what Python costs."""

import pacbench
from pacbench import kernels


class AllReduce(pacbench.Averager):
    """The mean by one all-reduce, as pacbench's method all-reduce."""

    async def average(self, bucket, group):
        return (await group.all_reduce(bucket.grad)).div_(group.size)


class Fp16(pacbench.Averager):
    """The mean of gradients in half precision, as pacbench's method fp16."""

    async def average(self, bucket, group):
        return (await group.all_reduce((bucket.grad / group.size).half())).float()


class TopK(pacbench.Averager):
    """The entries of largest magnitude with error feedback, as pacbench's method topk."""

    ratio: float = pacbench.option(0.01, low=1e-6, high=1, share="keep")

    async def average(self, bucket, group):
        residual = bucket.state.zeros("residual")
        residual += bucket.grad
        places = kernels.largest(residual, kernels.kept_of(self.ratio, bucket.elements))
        code = kernels.SparseCode(bucket.elements, len(places))
        payload = code.encode(residual.index_select(0, places), places)
        residual.index_fill_(0, places, 0)
        mean = bucket.grad.zero_()
        for of_rank in await group.all_gather(payload):
            code.add(of_rank, mean)
        return mean.div_(group.size)


class TernGrad(pacbench.Averager):
    """Entries rounded to levels of a scale that ranks share for each layer, as pacbench's method terngrad with 4 bits."""

    levels: int = pacbench.option(7, low=1, high=127)

    async def average(self, bucket, group):
        scales = await group.all_reduce(kernels.peaks(bucket), "max")
        digits = kernels.quantise(bucket, scales, self.levels)
        sums = await kernels.sum_digits(digits, self.levels, group)
        return kernels.dequantise(bucket, sums, scales / (self.levels * group.size))


class PacTrain(pacbench.Averager):
    """The gradients of the weights that pruning by magnitude keeps, as pacbench's method pactrain with float32."""

    pruning_ratio: float = pacbench.option(0.5, low=0.01, high=0.99, share="prune")

    def pruning(self):
        return self.pruning_ratio, "magnitude"

    async def average(self, bucket, group):
        places = bucket.kept_places()
        if places is None:
            return (await group.all_reduce(bucket.grad)).div_(group.size)
        mean = (await group.all_reduce(bucket.grad.index_select(0, places))).div_(group.size)
        return bucket.grad.zero_().index_copy_(0, places, mean)
