"""Methods with another method inside."""

import pacbench


class Feedback(pacbench.Averager):
    """Error feedback around any method: what an exchange lost is added to the next gradient."""

    inner: pacbench.Averager = pacbench.option({"name": "topk", "ratio": 0.1, "error_feedback": False})

    async def average(self, bucket, group):
        residual = bucket.state.zeros("residual")
        residual += bucket.grad
        mean, rest = await self.inner.average_and_rest(bucket.with_grad(residual), group)
        residual.copy_(rest)
        return mean


class WarmUp(pacbench.Averager):
    """Exact means at first, then those of the method inside."""

    inner: pacbench.Averager = pacbench.option({"name": "fp16"})
    steps: int = pacbench.option(2, low=0)

    async def average(self, bucket, group):
        if bucket.step <= self.steps:
            return (await group.all_reduce(bucket.grad)).div_(group.size)
        return await self.inner.average(bucket, group)
