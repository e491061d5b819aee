"""A method of one's own: the blocks of largest norm, with error feedback."""

import pacbench
import torch


class BlockTopK(pacbench.Averager):
    """Each rank sends its blocks of largest norm to all others; what it holds back it adds to its next gradient."""

    keep: float = pacbench.option(0.03, low=0.0001, high=1, share="keep", help="share of the blocks that are sent")
    block: int = pacbench.option(64, low=1, help="elements of a block")

    async def average(self, bucket, group):
        residual = bucket.state.zeros("residual")
        residual += bucket.grad
        blocks = torch.nn.functional.pad(residual, (0, -residual.numel() % self.block)).view(-1, self.block)
        kept = max(1, round(self.keep * len(blocks)))
        places = blocks.norm(dim=1).topk(kept).indices
        values = blocks[places]
        all_places = await group.all_gather(places.int())
        all_values = await group.all_gather(values)
        blocks[places] = 0
        residual.copy_(blocks.view(-1)[:residual.numel()])
        mean = torch.zeros_like(blocks)
        mean.index_add_(0, all_places.view(-1).long(), all_values.view(-1, self.block))
        return (mean / group.size).view(-1)[:residual.numel()]
