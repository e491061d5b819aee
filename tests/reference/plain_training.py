"""Data-parallel training of a perceptron on the digits in plain NumPy, by the papers' formulas.

It shares no code with pacbench, and uses no framework and no collective: workers are rows of an
array, and their mean is a mean. The data order is pacbench's, computed anew from published random
numbers (Philox4x32-10, Salmon et al. 2011).
"""
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

WORKERS, BATCH = 4, 32
SIDE_SQUARED, CLASSES = 64, 10


def philox(counter: list[int], key: list[int]) -> list[int]:
    """Philox4x32-10: four 32-bit words of a 128-bit counter."""
    for _ in range(10):
        first, second = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        counter = [second >> 32 ^ counter[1] ^ key[0], second & 0xFFFFFFFF,
                   first >> 32 ^ counter[3] ^ key[1], first & 0xFFFFFFFF]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return counter


def permutation(seed: int, epoch: int, samples: int) -> np.ndarray:
    """Fisher and Yates's shuffle with word i of the stream of this epoch (docs/METRICS.md)."""
    order = np.arange(samples)
    for i in range(samples - 1):
        block = philox([i // 4, 0, epoch, 2 << 24], [seed & 0xFFFFFFFF, seed >> 32])
        other = i + (block[i % 4] * (samples - i) >> 32)
        order[i], order[other] = order[other], order[i]
    return order


@dataclass
class Digits:
    """Every second image is for testing; pixels have mean 0 and deviation 1 over the training set."""
    train: np.ndarray
    train_labels: np.ndarray
    test: np.ndarray
    test_labels: np.ndarray

    @classmethod
    def read(cls, table: Path) -> "Digits":
        numbers = np.loadtxt(table, delimiter=",", dtype=np.float64)
        pixels, labels = numbers[:, :SIDE_SQUARED], numbers[:, SIDE_SQUARED].astype(int)
        train, test = pixels[0::2], pixels[1::2]
        scaled = [(part - train.mean()) / train.std() for part in (train, test)]
        return cls(scaled[0], labels[0::2], scaled[1], labels[1::2])


class Perceptron:
    """Fully connected layers with ReLU and the cross-entropy of their softmax; weights are flat."""

    def __init__(self, widths: list[int]):
        self.shapes = [shape for narrow, wide in zip(widths, widths[1:])
                       for shape in ((wide, narrow), (wide,))]
        self.size = sum(int(np.prod(shape)) for shape in self.shapes)

    def parts(self, flat: np.ndarray) -> list[np.ndarray]:
        ends = np.cumsum([int(np.prod(shape)) for shape in self.shapes])
        return [part.reshape(shape) for part, shape in zip(np.split(flat, ends[:-1]), self.shapes)]

    def loss_and_gradient(self, flat: np.ndarray, images: np.ndarray,
                          labels: np.ndarray) -> tuple[float, np.ndarray, float]:
        """Mean loss, its gradient, and the share of right answers."""
        layers = list(zip(*[iter(self.parts(flat))] * 2))
        inputs = [images]
        for weights, bias in layers[:-1]:
            inputs.append(np.maximum(inputs[-1] @ weights.T + bias, 0))
        logits = inputs[-1] @ layers[-1][0].T + layers[-1][1]
        exponents = np.exp(logits - logits.max(axis=1, keepdims=True))
        probabilities = exponents / exponents.sum(axis=1, keepdims=True)
        rows = np.arange(len(labels))
        loss = -np.log(probabilities[rows, labels]).mean()
        accuracy = (logits.argmax(axis=1) == labels).mean()
        delta = probabilities
        delta[rows, labels] -= 1
        delta /= len(labels)
        gradients: list[np.ndarray] = []
        for (weights, _), given in zip(reversed(layers), reversed(inputs)):
            gradients += [delta.sum(axis=0), (delta.T @ given).ravel()]
            delta = (delta @ weights) * (given > 0)
        return loss, np.concatenate(gradients[::-1]), accuracy


def dense_mean(gradients: np.ndarray) -> np.ndarray:
    """All-reduce."""
    return gradients.mean(axis=0)


def half_mean(gradients: np.ndarray) -> np.ndarray:
    """FP16 all-reduce: each worker's share is rounded to half precision before it is added."""
    shares = (gradients.astype(np.float16) / np.float16(len(gradients))).astype(np.float16)
    return shares.astype(np.float64).sum(axis=0)


class TopKMean:
    """Top-k with error feedback (Aji and Heafield 2017): what is not sent is added next time."""

    def __init__(self, ratio: float, size: int):
        self.kept = max(1, round(ratio * size))
        self.residuals = np.zeros((WORKERS, size))

    def __call__(self, gradients: np.ndarray) -> np.ndarray:
        self.residuals += gradients
        sent = np.zeros_like(self.residuals)
        for residual, own in zip(self.residuals, sent):
            places = np.argsort(-np.abs(residual), kind="stable")[:self.kept]
            own[places] = residual[places]
            residual[places] = 0
        return sent.mean(axis=0)


def train(model: Perceptron, weights: np.ndarray, digits: Digits, exchange, *, seed: int, lr: float,
          momentum: float, iterations: int) -> list[tuple[float, float]]:
    """Loss and accuracy on the test set after each iteration."""
    weights, velocity = weights.copy(), np.zeros_like(weights)
    samples = len(digits.train)
    order = cache(lambda epoch: permutation(seed, epoch, samples))
    curve = []
    for iteration in range(iterations):
        gradients = []
        for worker in range(WORKERS):
            first = (iteration * WORKERS + worker) * BATCH
            rows = [order(place // samples)[place % samples] for place in range(first, first + BATCH)]
            gradients.append(model.loss_and_gradient(weights, digits.train[rows],
                                                     digits.train_labels[rows])[1])
        velocity = momentum * velocity + exchange(np.array(gradients))
        weights = weights - lr * velocity
        loss, _, accuracy = model.loss_and_gradient(weights, digits.test, digits.test_labels)
        curve.append((loss, accuracy))
    return curve
