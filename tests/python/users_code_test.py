"""What Python finds out of users' classes, and how it drives their coroutines."""

import io
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from pacbench import kernels
from pacbench.averager import Bucket, Slice, State
from pacbench.averager_adapter import AveragerAdapter
from pacbench.options import catalogue_entries, with_options
from pacbench.testing import Ranks, check_averager, check_method, check_task, task_of
from pacbench.turn import Turn, seed_all
from pacbench.users_code import class_named, described, files_of, made, words_of

EXAMPLES = Path(__file__).resolve().parents[2] / "scenarios/python"
BUCKET = Bucket(0, (Slice("weight", (4,), 0, 4, 0, None),), State(4), torch.ones(4), 1, 0.1, 1, 0, True)


def written(folder: Path, text: str) -> Path:
    (folder / "mine.py").write_text(f"import pacbench\nimport torch\n{text}")
    return folder


def kept_by(adapter: AveragerAdapter) -> dict[int, dict[str, torch.Tensor]]:
    return torch.load(io.BytesIO(adapter.state().numpy().tobytes()))


def test_what_an_averager_holds_back_and_what_it_sends_add_up() -> None:
    found = class_named(str(EXAMPLES), "block_topk.py:BlockTopK")
    ranks = Ranks(found, {"keep": 0.1, "block": 8}, 3, 100)
    grads = torch.randn(2, 3, 100, generator=torch.Generator().manual_seed(1))
    sent = torch.zeros(100)
    for own in grads:
        mean = ranks.average(own)[0]
        assert 0 < mean.count_nonzero() <= 3 * 8
        sent += 3 * mean
    held_back = sum(kept_by(adapter)["buckets"][0]["residual"] for adapter in ranks.adapters)
    torch.testing.assert_close(sent + held_back, grads.sum((0, 1)))


@pytest.mark.parametrize("name", ["block_topk.py:BlockTopK", "controls.py:AllReduce", "controls.py:Fp16", "controls.py:TopK", "controls.py:TernGrad", "controls.py:PacTrain",
                                  "hooks.py:PowerSGD", "grace.py:Signs"])
def test_the_examples_pass_the_checks(name: str) -> None:
    check_averager(name, str(EXAMPLES))


@pytest.mark.parametrize("wrong", [
    lambda: kernels.largest(torch.ones(4), 5),
    lambda: kernels.largest(torch.ones(4, 4).t(), 1),
    lambda: kernels.SparseCode(4, 0),
    lambda: kernels.SparseCode(4, 2).encode(torch.ones(2), torch.tensor([2, 1])),
    lambda: kernels.SparseCode(4, 2).encode(torch.ones(2), torch.tensor([0, 4])),
    lambda: kernels.SparseCode(4, 1).add(torch.zeros(1, dtype=torch.int32), torch.zeros(4)),
    lambda: kernels.quantise(BUCKET, torch.ones(2), 7),
    lambda: kernels.dequantise(BUCKET, torch.ones(3, dtype=torch.int16), torch.ones(1)),
])
def test_a_kernel_refuses_what_it_cannot_take(wrong: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match="expected"):
        wrong()


def test_local_sgd_passes_the_checks() -> None:
    check_method("local_sgd.py:LocalSGD", str(EXAMPLES), every=3)


@pytest.mark.parametrize(("body", "words"), [
    ("return True", "their weights differ"),
    ("await group.all_reduce(weights.flat())\n        return False", "never returned True"),
    ("weights.set_flat(torch.rand(7, generator=None)); return True", "became others"),
    ("return 1", "expected True where all ranks now hold the same weights"),
    ("self.n = getattr(self, 'n', 0) + 1\n        weights.set_flat(self.n + 0 * weights.flat()); return True", "keep what lasts in weights.state"),
    ("group.all_reduce(weights.flat()); return True", "was called and never awaited"),
])
def test_a_fault_of_a_method_that_changes_weights_is_caught(tmp_path: Path, body: str, words: str) -> None:
    written(tmp_path, f"class Mine(pacbench.Method):\n    async def after_step(self, weights, group):\n        {body}\n")
    with pytest.raises((AssertionError, TypeError, RuntimeError)) as raised:
        check_method("mine.py:Mine", str(tmp_path))
    assert words in str(raised.value)


@pytest.mark.parametrize(("body", "words"), [
    ("return bucket.grad", "has another mean than rank 0"),
    ("return await group.all_reduce(bucket.grad) if group.rank else bucket.grad", "expected the same calls"),
    ("return await group.all_reduce(torch.randn(bucket.elements))", "gave another mean"),
    ("self.sum = getattr(self, 'sum', 0) + 1\n        return self.sum * await group.all_reduce(bucket.grad)", "bucket.state"),
    ("return (await group.all_reduce(bucket.grad)).nan_to_num()", "is not a number"),
    ("return (await group.all_reduce(bucket.grad))[:-1]", "returned torch.float32[0], expected torch.float32[1]"),
    ("await group.all_gather(bucket.grad[:max(1, bucket.elements - group.rank)])\n        return 0 * bucket.grad",
     "expected as many on each"),
])
def test_a_fault_of_a_method_is_caught(tmp_path: Path, body: str, words: str) -> None:
    written(tmp_path, f"class Mine(pacbench.Averager):\n    async def average(self, bucket, group):\n        {body}\n")
    with pytest.raises((AssertionError, TypeError)) as raised:
        check_averager("mine.py:Mine", str(tmp_path))
    assert words in str(raised.value)


@pytest.mark.parametrize("name", ["digits_task.py:Digits", "gpt_task.py:GPT", "cnn_task.py:CNN"])
def test_the_example_tasks_pass_the_checks(name: str) -> None:
    check_task(name, str(EXAMPLES), batch_per_worker=4)


TASK = """
class Mine(pacbench.Task):
    made = 0
    def model(self): return torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
    def data(self): return (torch.randn(32, 2), torch.arange(32) % 3), (torch.randn(8, 2), torch.arange(8) % 3)
"""


@pytest.mark.parametrize(("body", "words"), [
    ("    def model(self): Mine.made += 1; torch.manual_seed(Mine.made); return torch.nn.Linear(2, 3)", "gives two ranks different weights"),
    ("    only = torch.nn.Linear(2, 3)\n    def model(self): return self.only", "gives two ranks the same tensors"),
    ("    def model(self): torch.manual_seed(0); return torch.nn.Linear(2, 3)", "the same weights for seeds 1 and 2"),
    ("    def loss(self, model, batch): return model(batch.x).sum() / 0", "expected a finite scalar"),
    ("    def loss(self, model, batch): return model[0](batch.x).square().mean()", "gets no gradient"),
    ("    def evaluate(self, model, batches): model.train(); return super().evaluate(model, batches)", "changed weights or buffers"),
])
def test_a_fault_of_a_task_is_caught(tmp_path: Path, body: str, words: str) -> None:
    written(tmp_path, f"{TASK}{body}\n")
    with pytest.raises(AssertionError) as raised:
        check_task("mine.py:Mine", str(tmp_path))
    assert words in str(raised.value)


STREAM = """
from torch.utils.data import DataLoader, TensorDataset
class Mine(pacbench.Task):
    def model(self): return torch.nn.Linear(1, 3)
    def data(self):
        data = TensorDataset(torch.arange(24.).view(-1, 1), torch.arange(24) % 3)
        return DataLoader(data, 4, shuffle=True), DataLoader(data, 5)
"""


def test_ranks_take_turns_in_the_batches_of_an_iterable(tmp_path: Path) -> None:
    written(tmp_path, STREAM)
    ranks = [task_of("mine.py:Mine", str(tmp_path), {}, rank) for rank in range(2)]
    passes = [[ranks[rank].batch(iteration, rank, 2, 4).x for iteration in range(1 + 3 * number, 4 + 3 * number) for rank in range(2)]
              for number in range(2)]
    for one in passes:
        assert sorted(torch.cat(one).flatten().tolist()) == list(range(24))
    assert not torch.equal(torch.cat(passes[0]), torch.cat(passes[1]))
    late = task_of("mine.py:Mine", str(tmp_path), {}, 1)
    assert torch.equal(late.batch(6, 1, 2, 4).x, passes[1][-1])
    assert torch.equal(late.batch(1, 1, 2, 4).x, passes[0][1])
    assert late.evaluated_samples() == 24
    assert check_task("mine.py:Mine", str(tmp_path))["test_samples"] == 24


@pytest.mark.parametrize(("data", "words"), [
    ("DataLoader(data, 4, num_workers=1), DataLoader(data, 5)", "expected num_workers=0"),
    ("DataLoader(data, 5), DataLoader(data, 5)", "found a batch of 5 samples, expected batch_per_worker, which is 4"),
    ("iter([]), DataLoader(data, 5)", "gave no batch"),
])
def test_an_iterable_that_cannot_serve_is_told(tmp_path: Path, data: str, words: str) -> None:
    written(tmp_path, STREAM.replace("DataLoader(data, 4, shuffle=True), DataLoader(data, 5)", data))
    with pytest.raises(ValueError, match=words):
        task_of("mine.py:Mine", str(tmp_path), {}, 0).batch(1, 0, 1, 4)


def test_micro_batches_have_the_gradient_of_their_batch(tmp_path: Path) -> None:
    written(tmp_path, f"{TASK}    def model(self): return torch.nn.Linear(2, 3)\nclass Parts(Mine):\n    accumulate = 4\n")
    found = []
    for name in ("Mine", "Parts"):
        adapter = task_of(f"mine.py:{name}", str(tmp_path), {}, 0)
        loss = adapter.loss(adapter.batch(1, 0, 1, 10))
        loss.backward()
        found.append((loss.detach(), [tensor.grad for _, tensor, _, _ in adapter.parameters()]))
    torch.testing.assert_close(found[0], found[1])


def test_options_have_types_bounds_and_defaults() -> None:
    found = class_named(str(EXAMPLES), "block_topk.py:BlockTopK")
    entries = {entry["name"]: entry for entry in catalogue_entries(found)}
    assert entries["keep"]["type"] == "number" and entries["keep"]["maximum"] == 1
    assert entries["block"]["default"] == 64
    assert with_options(found, {"block": 8}).block == 8


def test_the_hash_of_its_file_is_an_option_of_a_class() -> None:
    (method,) = described(str(EXAMPLES), "block_topk.py:BlockTopK")["methods"]
    (digits,) = [option for option in method["options"] if option["name"] == "sha256"]
    assert digits["choices"] == [digits["default"]] and len(digits["default"]) == 64


def test_the_files_of_a_class_are_those_that_it_imports_at_any_depth(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/__init__.py").write_text("")
    (tmp_path / "parts/deep.py").write_text("from . import other\nimport json\n")
    (tmp_path / "parts/other.py").write_text("N = 1\n")
    (tmp_path / "not_used.py").write_text("")
    written(tmp_path, "def later():\n    from parts.deep import N\nclass Mine(pacbench.Averager): pass\n")
    assert sorted(files_of(str(tmp_path), "mine.py:Mine")) == ["mine.py", "parts/__init__.py", "parts/deep.py", "parts/other.py"]


def test_a_class_whose_files_have_changed_is_refused(tmp_path: Path) -> None:
    written(tmp_path, "class Mine(pacbench.Averager): pass\n")
    (method,) = described(str(tmp_path), "mine.py:Mine")["methods"]
    (digits,) = [option["default"] for option in method["options"] if option["name"] == "sha256"]
    assert made(str(tmp_path), {"name": "mine.py:Mine", "sha256": digits})
    written(tmp_path, "class Mine(pacbench.Averager): x: int = 3\n")
    with pytest.raises(ValueError, match="has changed since the run began"):
        made(str(tmp_path), {"name": "mine.py:Mine", "sha256": digits})


def test_ranks_of_one_process_draw_what_each_would_draw_alone() -> None:
    def draws(turns: list[Turn], order: list[int]) -> list[list[float]]:
        drawn: list[list[float]] = [[] for _ in turns]
        for rank in order:
            with turns[rank]:
                if not drawn[rank]:
                    seed_all(7, rank)
                drawn[rank] += [float(torch.rand(())), random.random()]
        return drawn

    together = draws([Turn(), Turn()], [0, 1, 1, 0, 1, 0])
    assert together == draws([Turn(), Turn()], [0, 0, 0, 1, 1, 1]) and together[0] != together[1]


def test_a_task_tells_how_many_samples_it_has() -> None:
    (dataset,) = described(str(EXAMPLES), "digits_task.py:Digits")["datasets"]
    assert (dataset["train_samples"], dataset["test_samples"]) == (899, 898)


@pytest.mark.parametrize(("text", "kind", "words"), [
    ("raise ValueError('no')", ValueError, "mine.py:3: ValueError: no"),
    ("class Other(pacbench.Averager): pass", AttributeError, "expected one of Other"),
    ("class Mine: pass", TypeError, "expected a pacbench.Task or a pacbench.Averager"),
    ("class Mine(pacbench.Averager):\n    keep: list = []", TypeError, "Mine.keep"),
    ("class Mine(pacbench.Averager):\n    keep: float", TypeError, "no default"),
])
def test_a_mistake_in_a_class_is_told_with_its_place(tmp_path: Path, text: str, kind: type, words: str) -> None:
    with pytest.raises(kind) as raised:
        described(str(written(tmp_path, text)), "mine.py:Mine")
    assert words in words_of(raised.value)


@pytest.mark.parametrize(("body", "words"), [
    ("group.all_reduce(bucket.grad)\n        return bucket.grad", "mine.py:5: group.all_reduce was called and never awaited"),
    ("return 3", "returned int, expected torch.float32[4]"),
    ("await Foreign()", "expected only calls of its group"),
])
def test_a_mistake_in_a_coroutine_is_told(tmp_path: Path, body: str, words: str) -> None:
    text = f"class Mine(pacbench.Averager):\n    async def average(self, bucket, group):\n        {body}\n"
    text += "class Foreign:\n    def __await__(self):\n        yield 1\n"
    found = class_named(str(written(tmp_path, text)), "mine.py:Mine")
    with pytest.raises((TypeError, RuntimeError)) as raised:
        Ranks(found, {}, 1, 4).average(torch.ones(1, 4))
    assert words in str(raised.value)


def test_a_class_that_cannot_be_looked_for_is_told_in_one_line(tmp_path: Path) -> None:
    without_torch = "import sys; sys.modules['torch'] = None; import pacbench.describe"
    for command, words in ((["-m", "pacbench.describe", str(tmp_path), "none.py:Mine"], "none.py: no such file"),
                           (["-c", without_torch], "tools/setup --python-torch")):
        done = subprocess.run([sys.executable, *command], cwd=EXAMPLES.parents[1] / "python", capture_output=True, text=True, check=False)
        assert done.returncode == 1 and words in done.stderr and done.stderr.count("\n") == 1
