"""A small GPT on characters, as a task of one's own."""

from pathlib import Path

import pacbench
import torch
from torch import nn
from torch.nn import functional

TEXT = Path(__file__).parents[1] / "data/tinyshakespeare.txt"


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.before_attention, self.before_mlp = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2)
                   for part in self.qkv(self.before_attention(x)).chunk(3, dim=2))
        attended = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).reshape(batch, length, width))
        return x + self.mlp(self.before_mlp(x))


class Net(nn.Module):
    def __init__(self, letters: int, width: int, layers: int, length: int) -> None:
        super().__init__()
        self.letters, self.places = nn.Embedding(letters, width), nn.Embedding(length, width)
        self.blocks = nn.Sequential(*(Block(width, 4) for _ in range(layers)), nn.LayerNorm(width))
        self.head = nn.Linear(width, letters, bias=False)

    def forward(self, x):
        return self.head(self.blocks(self.letters(x) + self.places.weight[:x.shape[1]]))


class GPT(pacbench.Task):
    """A decoder-only transformer with AdamW and warm-up. It has a loss and no accuracy."""

    width: int = pacbench.option(64, low=4, help="of the residual stream")
    layers: int = pacbench.option(2, low=1)
    length: int = pacbench.option(64, low=2, help="letters that a sample has")
    clip_norm = 1.0

    def model(self):
        return Net(self.known, self.width, self.layers, self.length)

    def data(self):
        text = TEXT.read_text()[:200_000]
        letters = sorted(set(text))
        self.known = len(letters)
        numbers = torch.tensor([letters.index(letter) for letter in text])
        rows = numbers[:len(numbers) // (self.length + 1) * (self.length + 1)].view(-1, self.length + 1)
        cut = len(rows) * 9 // 10
        return tuple((part[:, :-1], part[:, 1:]) for part in (rows[:cut], rows[cut:]))

    def loss(self, model, batch):
        return functional.cross_entropy(model(batch.x).flatten(0, 1), batch.y.flatten())

    def evaluate(self, model, batches):
        sums = [(batch.y.numel(), float(self.loss(model, batch)) * batch.y.numel()) for batch in batches]
        return pacbench.Sums(sum(count for count, _ in sums), None, sum(loss for _, loss in sums))

    def optimizer(self, model, lr):
        decayed = [own for own in model.parameters() if own.ndim > 1]
        others = [own for own in model.parameters() if own.ndim == 1]
        own = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}], lr,
                                betas=(0.9, 0.95))
        return own, torch.optim.lr_scheduler.LinearLR(own, 0.1, 1.0, total_iters=10)
