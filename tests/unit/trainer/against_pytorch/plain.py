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


class Method:
    """A method, and what its ranks remember: float32[workers, elements], zeros at first."""
    own_momentum = False

    def __init__(self, case: Case, elements: int, slices):
        self.case, self.options, self.slices = case, case.method, slices
        self.memory = torch.zeros(case.workers, elements)


class TopK(Method):
    """Aji and Heafield 2017, algorithm 1: what is not sent is added next time."""

    def step(self, gradients: torch.Tensor, lr: float) -> torch.Tensor:
        self.memory += gradients
        sent = torch.stack([largest(residual, self.options["ratio"]) for residual in self.memory])
        self.memory -= sent
        return sent.mean(0)


class Ef21(Method):
    """Richtárik, Sokolov and Fatkhullin 2021, algorithm 2, estimates beginning at zero."""

    def step(self, gradients: torch.Tensor, lr: float) -> torch.Tensor:
        for estimate, gradient in zip(self.memory, gradients):
            estimate += largest(gradient - estimate, self.options["ratio"])
        return self.memory.mean(0)


class Dgc(Method):
    """Lin et al. 2018, algorithm 4 without clipping: momentum correction and momentum factor masking."""
    own_momentum = True
    velocity = 0

    def step(self, gradients: torch.Tensor, lr: float) -> torch.Tensor:
        self.velocity = self.case.momentum * self.velocity + gradients
        self.memory += self.velocity
        sent = torch.stack([largest(gathered, self.options["ratio"]) for gathered in self.memory])
        self.memory[sent != 0] = 0
        self.velocity[sent != 0] = 0
        return sent.mean(0)


class EfSignSgd(Method):
    """Karimireddy et al. 2019, algorithm 1, by layers: residuals are of steps, which contain lr."""

    def step(self, gradients: torch.Tensor, lr: float) -> torch.Tensor:
        corrected = lr * gradients + self.memory
        steps = torch.empty_like(corrected)
        for layer in self.slices:
            part = corrected[:, layer]
            steps[:, layer] = part.abs().mean(1, keepdim=True) * signs(part)
        self.memory = corrected - steps
        return steps.mean(0) / lr


class SignSgd(Method):
    """Bernstein et al. 2018, algorithm 3: the majority's sign. The number of ranks is odd, so that
    there are no ties."""

    def step(self, gradients: torch.Tensor, lr: float) -> torch.Tensor:
        assert len(gradients) % 2 == 1
        return signs(signs(gradients).sum(0))


class DistributedLion(Method):
    """Liu et al. 2024, algorithm 1, by majority or mean."""
    own_momentum = True

    def step(self, gradients: torch.Tensor, lr: float) -> torch.Tensor:
        beta1, beta2, vote = (self.options[key] for key in ("beta1", "beta2", "vote"))
        assert len(gradients) % 2 == 1 or vote == "average"
        votes = signs(beta1 * self.memory + (1 - beta1) * gradients)
        self.memory = beta2 * self.memory + (1 - beta2) * gradients
        return signs(votes.sum(0)) if vote == "majority" else votes.mean(0)


METHODS = {"topk": TopK, "ef21": Ef21, "dgc": Dgc, "ef-signsgd": EfSignSgd, "signsgd": SignSgd,
           "distributed-lion": DistributedLion}


def train(case: Case) -> dict:
    """Trains one model for all ranks. The method makes its gradient from all ranks' gradients."""
    model = case.model()
    parameters = list(model.parameters())
    ends = torch.tensor([each.numel() for each in parameters]).cumsum(0).tolist()
    slices = [slice(begin, end) for begin, end in zip([0, *ends], ends)]
    method = METHODS[case.method["name"]](case, ends[-1], slices)
    optimizer = case.sgd(model, **({"momentum": 0} if method.own_momentum else {}))
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
