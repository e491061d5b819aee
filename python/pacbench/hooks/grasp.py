"""GraSP: how much each weight matters for the flow of gradients.

Source: Wang, Zhang and Grosse 2020, arXiv 2002.07376, section 4. The score of a weight w is w * (H
g). Here g is the gradient of the prunable weights, and H the Hessian of the loss. For a model with
batch norm, batches are cut as in trainer/pruning/importance.cc, so that pacbench's worker finds the
same numbers. For other models the cut changes only the rounding.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn.attention import SDPBackend, sdpa_kernel

Batch = tuple[Tensor, Tensor]
"""Inputs of a model and their labels, int64, one for each row of its output."""

_SLICE = 64  # most samples in memory at once; batch norm takes its statistics over them


def grasp_scores(model: nn.Module, names: Sequence[str], batches: Sequence[Batch],
                 temperature: float) -> list[Tensor]:
    """The scores of each named weight, float32[elements] on the CPU: elements with the largest
    scores are kept.

    Logits are divided by `temperature` before the cross-entropy, so that no class is certain yet.
    Scores of several batches are averaged. The model computes in training mode, and is unchanged
    afterwards, its running statistics included.
    """
    means = [torch.zeros(model.get_parameter(name).numel()) for name in names]
    for batch in batches:
        for mean, score in zip(means, _of_batch(model, names, batch, temperature)):
            mean.add_(score.div_(len(batches)))
    return means


def _of_batch(model: nn.Module, names: Sequence[str], batch: Batch, temperature: float) -> list[Tensor]:
    copies = {name: tensor.detach().clone() for name, tensor in [*model.named_parameters(), *model.named_buffers()]}
    weights = [copies[name].requires_grad_() for name in names]
    device = weights[0].device
    inputs, labels = batch[0].to(device), batch[1].to(device)
    parts = -(-len(inputs) // _SLICE)

    def loss(part: int) -> Tensor:
        """The loss of every `parts`-th sample: where samples are sorted by class, each part has as
        many of each class."""
        own = labels[part::parts]
        logits = functional_call(model, copies, inputs[part::parts])
        logits = logits.reshape(own.numel(), -1) / temperature
        return nn.functional.cross_entropy(logits, own.flatten()) * (len(own) / len(labels))

    # The attention that is fast on CPUs cannot be differentiated twice.
    with _training(model), sdpa_kernel(SDPBackend.MATH), torch.enable_grad():
        products = _hessian_times_gradient(loss, parts, weights)
    return [(weight.detach() * product).to(torch.float32).cpu().flatten() for weight, product in zip(weights, products)]


def _hessian_times_gradient(loss, parts: int, weights: list[Tensor]) -> list[Tensor]:
    """H g, exactly: the gradient of g · g', where g' equals g but is held constant. Only one part's
    graph at a time is in memory."""
    constant = _added(torch.autograd.grad(loss(part), weights) for part in range(parts))

    def of_part(part: int) -> tuple[Tensor, ...]:
        gradient = torch.autograd.grad(loss(part), weights, create_graph=True)
        product = sum((mine * own).sum() for mine, own in zip(constant, gradient))
        return torch.autograd.grad(product, weights)

    return _added(map(of_part, range(parts)))


def _added(parts: Iterator[tuple[Tensor, ...]]) -> list[Tensor]:
    sums = [part.clone() for part in next(parts)]
    for part in parts:
        for total, more in zip(sums, part):
            total.add_(more)
    return sums


@contextmanager
def _training(model: nn.Module) -> Iterator[None]:
    modes = [(module, module.training) for module in model.modules()]
    model.train()
    try:
        yield
    finally:
        for module, mode in modes:
            module.training = mode
