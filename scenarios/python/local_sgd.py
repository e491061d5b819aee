"""A method of one's own whose ranks train alone for a while."""

import pacbench


class LocalSGD(pacbench.Method):
    """Every few steps all ranks go on from the mean of their weights (Stich 2019, arXiv 1805.09767)."""

    every: int = pacbench.option(8, low=1, help="steps from one mean to the next")

    async def after_step(self, weights, group):
        if weights.step % self.every:
            return False
        weights.set_flat((await group.all_reduce(weights.flat())) / group.size)
        return True

    def period(self):
        return self.every
