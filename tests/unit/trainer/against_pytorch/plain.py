"""Methods written as in their papers, for all ranks in one process and without a collective.
Vectors are flat float32; `slices` are the layers in them."""
from copy import deepcopy

import torch
from training import Case, loss_of


def largest(values: torch.Tensor, ratio: float) -> torch.Tensor:
    """`values` where they are largest in magnitude, else zero. Of equal values the first are kept.
    Pixels that are the same in a whole batch give equal gradients, and torch's topk keeps any of
    them."""
    order = values.abs().argsort(descending=True, stable=True)
    places = order[:max(1, round(ratio * values.numel()))]
    return torch.zeros_like(values).index_copy(0, places, values[places])


def signs(values: torch.Tensor) -> torch.Tensor:
    """The signs of values; zeros count as positive, since a bit has no third value."""
    return torch.where(values >= 0, 1.0, -1.0)


class TopK:
    """Aji and Heafield 2017, algorithm 1: what is not sent is added next time."""

    def __init__(self, case: Case, elements: int, slices):
        self.ratio = case.method["ratio"]
        self.residuals = torch.zeros(case.workers, elements)

    def step(self, gradients: torch.Tensor, lr: float) -> torch.Tensor:
        self.residuals += gradients
        sent = torch.stack([largest(residual, self.ratio) for residual in self.residuals])
        self.residuals -= sent
        return sent.mean(0)


class Ef21:
    """Richtárik, Sokolov and Fatkhullin 2021, algorithm 2, estimates beginning at zero."""

    def __init__(self, case: Case, elements: int, slices):
        self.ratio = case.method["ratio"]
        self.estimates = torch.zeros(case.workers, elements)

    def step(self, gradients: torch.Tensor, lr: float) -> torch.Tensor:
        for estimate, gradient in zip(self.estimates, gradients):
            estimate += largest(gradient - estimate, self.ratio)
        return self.estimates.mean(0)


class Dgc:
    """Lin et al. 2018, algorithm 4 without clipping: momentum correction and momentum factor masking."""
    own_momentum = True

    def __init__(self, case: Case, elements: int, slices):
        self.ratio, self.momentum = case.method["ratio"], case.momentum
        self.u = torch.zeros(case.workers, elements)
        self.v = torch.zeros(case.workers, elements)

    def step(self, gradients: torch.Tensor, lr: float) -> torch.Tensor:
        self.u = self.momentum * self.u + gradients
        self.v = self.v + self.u
        sent = torch.stack([largest(v, self.ratio) for v in self.v])
        self.v[sent != 0] = 0
        self.u[sent != 0] = 0
        return sent.mean(0)


class EfSignSgd:
    """Karimireddy et al. 2019, algorithm 1, by layers: residuals are of steps, which contain lr."""

    def __init__(self, case: Case, elements: int, slices):
        self.slices = slices
        self.errors = torch.zeros(case.workers, elements)

    def step(self, gradients: torch.Tensor, lr: float) -> torch.Tensor:
        corrected = lr * gradients + self.errors
        steps = torch.empty_like(corrected)
        for layer in self.slices:
            part = corrected[:, layer]
            steps[:, layer] = part.abs().mean(1, keepdim=True) * signs(part)
        self.errors = corrected - steps
        return steps.mean(0) / lr


class SignSgd:
    """Bernstein et al. 2018, algorithm 3: the majority's sign. The number of ranks is odd, so that
    there are no ties."""

    def __init__(self, case: Case, elements: int, slices):
        assert case.workers % 2 == 1

    def step(self, gradients: torch.Tensor, lr: float) -> torch.Tensor:
        return signs(signs(gradients).sum(0))


class DistributedLion:
    """Liu et al. 2024, algorithm 1, by majority or mean."""
    own_momentum = True

    def __init__(self, case: Case, elements: int, slices):
        self.beta1, self.beta2, self.vote = (case.method[key] for key in ("beta1", "beta2", "vote"))
        assert case.workers % 2 == 1 or self.vote == "average"
        self.momentum = torch.zeros(case.workers, elements)

    def step(self, gradients: torch.Tensor, lr: float) -> torch.Tensor:
        votes = signs(self.beta1 * self.momentum + (1 - self.beta1) * gradients)
        self.momentum = self.beta2 * self.momentum + (1 - self.beta2) * gradients
        return signs(votes.sum(0)) if self.vote == "majority" else votes.mean(0)


METHODS = {"topk": TopK, "ef21": Ef21, "dgc": Dgc, "ef-signsgd": EfSignSgd, "signsgd": SignSgd,
           "distributed-lion": DistributedLion}


def train(case: Case) -> dict:
    """Trains one model for all ranks. The method makes its gradient from all ranks' gradients."""
    method_type = METHODS[case.method["name"]]
    model = case.model()
    parameters = list(model.parameters())
    ends = torch.tensor([each.numel() for each in parameters]).cumsum(0).tolist()
    slices = [slice(begin, end) for begin, end in zip([0, *ends], ends)]
    method = method_type(case, ends[-1], slices)
    optimizer = case.sgd(model, **({"momentum": 0} if hasattr(method, "own_momentum") else {}))
    losses = []
    for iteration in range(1, case.iterations + 1):
        gradients, losses_now = [], []
        for rank in range(case.workers):
            loss = loss_of(model, case, rank, iteration)
            gradients.append(torch.cat([each.flatten() for each in torch.autograd.grad(loss, parameters)]))
            losses_now.append(loss.item())
        lr = optimizer.param_groups[0]["lr"] = case.lr_of(iteration)
        mean = method.step(torch.stack(gradients), lr)
        for parameter, layer in zip(parameters, slices):
            parameter.grad = mean[layer].view_as(parameter)
        optimizer.step()
        losses.append(losses_now)
    return case.recorded(losses, model)


def train_diloco(case: Case) -> dict:
    """Douillard et al. 2023, algorithm 1; the outer optimiser is torch's SGD with Nesterov."""
    shared = case.model()
    outer = torch.optim.SGD(shared.parameters(), lr=case.method["outer_lr"],
                            momentum=case.method["outer_momentum"], nesterov=True)
    models = [deepcopy(shared) for _ in range(case.workers)]
    inner = [case.sgd(model) for model in models]
    losses = []
    for iteration in range(1, case.iterations + 1):
        losses_now = []
        for rank, (model, optimizer) in enumerate(zip(models, inner)):
            optimizer.zero_grad()
            loss = loss_of(model, case, rank, iteration)
            loss.backward()
            optimizer.step()
            losses_now.append(loss.item())
        losses.append(losses_now)
        if iteration % case.method["every"]:
            continue
        for parameter, *replicas in zip(shared.parameters(), *(model.parameters() for model in models)):
            parameter.grad = torch.stack([parameter.detach() - own.detach() for own in replicas]).mean(0)
        outer.step()
        for model in models:
            model.load_state_dict(shared.state_dict())
    return case.recorded(losses, shared)
