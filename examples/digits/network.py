# SPDX-License-Identifier: Apache-2.0
"""The digits data set and a two-layer network trained and run with numpy: the reference of the demo."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Weights(NamedTuple):
    """Row-major float32: ``w1`` (pixels, hidden), ``b1`` (hidden,), ``w2`` (hidden, classes), ``b2`` (classes,)."""

    w1: np.ndarray
    b1: np.ndarray
    w2: np.ndarray
    b2: np.ndarray


def load() -> tuple[np.ndarray, np.ndarray]:
    """The 1,797 handwritten digits of scikit-learn: images (n, 64) in [0, 1] and labels (n,)."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    return (digits.data / 16.0).astype("float32"), digits.target.astype("int32")


def probabilities(x: np.ndarray, weights: Weights) -> np.ndarray:
    """Softmax of the network's output, (n, classes)."""
    hidden = np.maximum(x @ weights.w1 + weights.b1, 0)
    scores = hidden @ weights.w2 + weights.b2
    scores -= scores.max(axis=1, keepdims=True)
    out = np.exp(scores)
    return out / out.sum(axis=1, keepdims=True)


def train(
    x: np.ndarray, labels: np.ndarray, hidden: int, classes: int, epochs: int = 60
) -> Weights:
    """Stochastic gradient descent with momentum on the cross entropy."""
    random = np.random.default_rng(0)
    pixels = x.shape[1]
    parameters = [
        random.normal(0, np.sqrt(2 / pixels), (pixels, hidden)).astype("float32"),
        np.zeros(hidden, "float32"),
        random.normal(0, np.sqrt(2 / hidden), (hidden, classes)).astype("float32"),
        np.zeros(classes, "float32"),
    ]
    speed = [np.zeros_like(p) for p in parameters]
    onehot = np.eye(classes, dtype="float32")[labels]
    for epoch in range(epochs):
        rate = np.float32(0.1 * (1 - epoch / epochs))
        order = random.permutation(len(x))
        for batch in np.array_split(order, len(x) // 32):
            w1, b1, w2, b2 = parameters
            inside = x[batch] @ w1 + b1
            active = np.maximum(inside, 0)
            slope = (probabilities(x[batch], Weights(*parameters)) - onehot[batch]) / len(batch)
            back = (slope @ w2.T) * (inside > 0)
            gradients = [x[batch].T @ back, back.sum(0), active.T @ slope, slope.sum(0)]
            for parameter, velocity, gradient in zip(parameters, speed, gradients):
                velocity *= np.float32(0.9)
                velocity -= rate * gradient
                parameter += velocity
    return Weights(*(np.ascontiguousarray(p) for p in parameters))
