"""A training that resumes from saved states of its model, optimizer and hook ends with the same
bits as one that was never interrupted."""

from collections.abc import Callable

import pytest
import torch
from buckets import model as model_of_buckets
from pacbench import hooks
from ranks import on_ranks
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel
from training_test import Mlp, batch_loss, orders, register_after_warm_up

RANKS, BEFORE, AFTER = 2, 4, 3

STATES: dict[str, tuple[Callable[[nn.Module], object], Callable]] = {
    "topk": (lambda model: hooks.TopK(model, 0.05), hooks.topk),
    "terngrad, scales of the last step": (lambda model: hooks.TernGrad(model, scale_from="last"), hooks.terngrad),
    "pactrain with feedback": (lambda model: hooks.PacTrain(model, error_feedback=True, score="random"),
                               hooks.pactrain),
    "pactrain, tracked": (lambda model: hooks.PacTrain(model, quantize=None, mask_source="tracker", stable_after=6),
                          hooks.pactrain),
}


class Training:
    """One rank's model, wrapped, with its optimizer and hook. Buckets are rebuilt before the first exchange."""

    def __init__(self, name: str, rank: int) -> None:
        make, hook = STATES[name]
        self.rank, self.order, self.model = rank, orders(), Mlp()
        self.parallel = DistributedDataParallel(self.model)
        self.state = make(self.model)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.05, momentum=0.9)
        register_after_warm_up(self.parallel, self.state, hook, lambda: batch_loss(self.parallel, self.order, rank, 0))
        self.iteration = 0

    def run(self, iterations: int) -> None:
        for _ in range(iterations):
            self.optimizer.zero_grad()
            batch_loss(self.parallel, self.order, self.rank, self.iteration).backward()
            self.optimizer.step()
            self.iteration += 1

    def save(self, path: str) -> None:
        torch.save([self.iteration, *(part.state_dict() for part in (self.model, self.optimizer, self.state))], path)

    def load(self, path: str, loads_hook: bool) -> None:
        self.iteration, model, optimizer, state = torch.load(path, weights_only=True)
        self.model.load_state_dict(model)
        self.optimizer.load_state_dict(optimizer)
        if loads_hook:
            self.state.load_state_dict(state)

    def weights(self) -> Tensor:
        return torch.cat([weight.detach().flatten() for weight in self.model.parameters()])


@pytest.mark.parametrize("name", STATES)
def test_a_resumed_training_has_the_same_bits(name: str, tmp_path) -> None:
    def whole(rank: int) -> Tensor:
        training = Training(name, rank)
        training.run(BEFORE)
        training.save(f"{tmp_path}/{rank}")
        training.run(AFTER)
        return training.weights()

    def resumed(rank: int, loads_hook: bool) -> Tensor:
        training = Training(name, rank)
        training.load(f"{tmp_path}/{rank}", loads_hook)
        training.run(AFTER)
        return training.weights()

    expected = on_ranks(RANKS, whole)
    assert torch.equal(expected[0], expected[1])
    assert all(torch.equal(found, expected[0]) for found in on_ranks(RANKS, lambda rank: resumed(rank, True)))
    if name != "pactrain, tracked":  # its masks affect how values are sent, but not their bits
        assert not torch.equal(on_ranks(RANKS, lambda rank: resumed(rank, False))[0], expected[0])


@pytest.mark.parametrize(("load", "message"), [
    (lambda: hooks.TopK(nn.Linear(2, 2), 0.5).load_state_dict({"residuals": {"weight": torch.zeros(3)}}),
     "has 3 elements of weight, expected 4"),
    (lambda: hooks.TopK(nn.Linear(2, 2), 0.5).load_state_dict({"residuals": {"bias2": torch.zeros(2)}}),
     "has 2 elements of bias2, expected no such parameter"),
    (lambda: hooks.TernGrad(nn.Linear(2, 2)).load_state_dict(hooks.TopK(nn.Linear(2, 2), 0.5).state_dict()),
     r"has \['residuals'\], expected \['carrier', 'iteration', 'masks'\]"),
    (lambda: hooks.PacTrain(model_of_buckets()).load_state_dict(
        hooks.PacTrain(model_of_buckets(), error_feedback=True).state_dict()), "load it into a state with the same"),
])
def test_a_state_of_another_model_or_of_other_options_is_refused(load: Callable, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load()


def test_a_saved_state_does_not_change_when_training_goes_on(tmp_path) -> None:
    def work(rank: int) -> bool:
        training = Training("topk", rank)
        training.run(1)
        saved = training.state.state_dict()
        before = {name: residual.clone() for name, residual in saved["residuals"].items()}
        training.run(1)
        return bool(before) and all(torch.equal(residual, before[name]) for name, residual in
                                    saved["residuals"].items())

    assert all(on_ranks(RANKS, work))
