"""Joint-Align beside the same aligner on vectors that were trained apart.

Wants a folder of corpora, ``NAME.LANGUAGE.txt.xz``, and the dictionaries of MUSE and xling-eval.
Every language is trained alone and every pair jointly, by torch. What was counted, encoded and
trained is kept in the folder WORK, so that another run goes on from there. OUTPUT gets a JSON line
for every result; ``--table`` prints them. Several processes can share WORK if ``--only text`` has
made the texts before and ``--only apart`` has measured what was trained apart.

A shared word has one vector in both languages, so its translation is right by construction if it is
spelled alike. So every score is given for all test words, and for the words that belong to the
source alone ("own"); and for the test words that both ways of training know.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from benchmarks.measure import heading, row, table
from lexalign import Embeddings, Lexicon, evaluate, read, write
from lexalign.aligners import ALIGNERS, Aligner, Alignment
from lexalign.evaluation.accuracy import contributions
from lexalign.parameters import parameters_of
from lexalign.refinement import Refiner
from lexalign.training import BalancedCorpora, Corpus, Counts, Trainer, torch_models
from lexalign.training.corpus import Text
from lexalign.training.encoded_text import END, EncodedText, encoded
from lexalign.training.joint import align_joint, reallocate

PAIRS = ("en-de", "en-fr", "en-it", "de-it", "it-fr", "de-fr")
TESTS = {"muse": "muse/{}.5000-6500.txt", "xling": "xling/yacle.test.freq.2k.{}.tsv"}
SEEDS = {"muse": "muse/{}.0-5000.txt", "xling-1k": "xling/yacle.train.freq.1k.{}.tsv"}
MEASURES = {
    "muse-p1": ("muse", "muse", "csls", "p@1"),
    "xling-p1": ("xling", "muse", "csls", "p@1"),
    "xling-mrr": ("xling", "xling", "nn", "mrr"),
}
"""Test words, protocol, retrieval and metric of every score."""

LARGEST = 50_000
VOCABULARY, MINIMUM = 200_000, 5
Scores = dict[str, dict[tuple[str, str], float]]


@dataclass(frozen=True)
class Work:
    """The folders, and how vectors are trained."""

    corpora: Path
    dictionaries: Path
    folder: Path
    model: str
    epochs: int
    device: str

    def corpus(self, language: str) -> Corpus:
        """The text of a language."""
        return Corpus(tuple(sorted(self.corpora.glob(f"*.{language}.txt*"))))

    def counts(self, language: str) -> Counts:
        """The counts of a language, counted once."""
        path = self.folder / f"{language}.counts.tsv"
        if not path.exists():
            Counts.of(self.corpus(language)).write(path)
        return Counts.read(path)

    def prepare(self, pair: str) -> None:
        """Count and encode the text of both languages and of the pair."""
        for language in pair.split("-"):
            self.encoded(
                f"alone.{language}",
                self.corpus(language),
                self.counts(language).most_frequent(VOCABULARY, MINIMUM),
            )
        text = self.joint_text(pair)
        self.encoded(f"joint.{pair}", text, text.vocabulary(VOCABULARY, MINIMUM))

    def joint_text(self, pair: str) -> BalancedCorpora:
        """Both languages of a pair as one text, the same lines for every random seed."""
        source, target = pair.split("-")
        return BalancedCorpora(
            (self.corpus(source), self.corpus(target)),
            (self.counts(source), self.counts(target)),
        )

    def encoded(self, name: str, text: Text, words: dict[str, int]) -> EncodedText:
        """A text as numbers, encoded once."""
        path = self.folder / f"{name}.npy"
        if not path.exists():
            with encoded(text, words) as found:
                np.save(path, found.numbers)
        numbers = np.load(path)
        return EncodedText(numbers, int((numbers != END).sum()))

    def vectors(
        self, name: str, seed: int, text: Callable[[], EncodedText], words: dict[str, int]
    ) -> tuple[Embeddings, dict[str, float]]:
        """The vectors of some words, trained once, and how fast that was."""
        path = self.folder / f"{name}.{self.model}.{seed}.{self.epochs}.npz"
        if path.exists():
            return read(path), {}
        numbers = text()

        @contextmanager
        def given(*_: Any) -> Iterator[EncodedText]:
            yield numbers

        trainer = Trainer(
            model=self.model, seed=seed, epochs=self.epochs, device=self.device, engine="torch"
        )
        began = time.perf_counter()
        with mock.patch.object(torch_models, "encoded", given):
            trained = trainer.train(_Nameless(), words, numbers.tokens)
        seconds = time.perf_counter() - began
        write(trained, path)
        return trained, {
            "seconds": seconds,
            "tokens_per_s": round(numbers.tokens * self.epochs / seconds),
        }

    def alone(self, language: str, seed: int) -> Embeddings:
        """The vectors of a language that was trained alone."""
        words = self.counts(language).most_frequent(VOCABULARY, MINIMUM)
        return self.vectors(
            f"alone.{language}",
            seed,
            lambda: self.encoded(f"alone.{language}", self.corpus(language), words),
            words,
        )[0]

    def jointly(
        self, pair: str, seed: int, shared_seeds: Lexicon | None
    ) -> tuple[Embeddings, dict[str, float]]:
        """The vectors of a pair; ``shared_seeds`` have one vector a pair."""
        text = self.joint_text(pair)
        words = text.vocabulary(VOCABULARY, MINIMUM)

        def numbers() -> EncodedText:
            return self.encoded(f"joint.{pair}", text, words)

        if shared_seeds is None:
            return self.vectors(f"joint.{pair}", seed, numbers, words)
        rows, merged = one_vector_a_pair(words, shared_seeds)

        def with_shared_rows() -> EncodedText:
            found = numbers()
            moved = np.where(found.numbers >= 0, rows[found.numbers.clip(0)], found.numbers)
            return EncodedText(moved.astype(np.int32), found.tokens)

        trained, speed = self.vectors(f"shared.{pair}", seed, with_shared_rows, merged)
        return Embeddings(tuple(words), trained.matrix[rows]), speed

    def lexicon(self, form: str, pair: str) -> Lexicon | None:
        """A dictionary of this pair, if there is one."""
        path = self.dictionaries / form.format(pair)
        return Lexicon.read(path) if path.exists() else None

    def scores(self, source: Embeddings, target: Embeddings, pair: str) -> Scores:
        """What every test word contributes to every score."""
        found: Scores = {}
        for name, (test, protocol, retrieval, metric) in MEASURES.items():
            lexicon = self.lexicon(TESTS[test], pair)
            if lexicon is None:
                continue
            accuracy = evaluate(
                source.top(LARGEST),
                target.top(LARGEST),
                lexicon,
                protocol=protocol,
                retrieval=retrieval,
                device=self.device,
            )
            ones = accuracy.protocol.unit == "word"
            found[name] = {
                (word, "" if ones else references[0]): value
                for word, references, value in zip(
                    accuracy.words,
                    accuracy.references,
                    contributions(accuracy.ranks, metric).tolist(),
                    strict=True,
                )
            }
        return found

    def apart_scores(self, pair: str, aligner: str, seed: int) -> Path:
        """Where the scores of vectors that were trained apart are kept."""
        return self.folder / f"apart.{pair}.{aligner}.{self.model}.{seed}.{self.epochs}.json"

    def space(self, pair: str, aligner: str, seed: int, refinement: str, side: str) -> Path:
        """Where one side of a joint space is kept for inference."""
        return self.folder / f"space.{pair}.{aligner}.{seed}.{refinement}.{side}.npz"

    def aligner(self, name: str, seed: int) -> Aligner:
        """An aligner with its defaults."""
        chosen: dict[str, Any] = {"device": self.device, "seed": seed}
        kind = ALIGNERS[name]
        return kind(**{key: chosen[key] for key in chosen if key in parameters_of(kind)})


class _Nameless:
    """Text that was encoded before."""

    identity = None

    def __iter__(self) -> Iterator[list[str]]:
        return iter(())


def one_vector_a_pair(words: dict[str, int], seeds: Lexicon) -> tuple[np.ndarray, dict[str, int]]:
    """Let both words of a seed pair be one word.

    Every word takes part in one pair at most. Returns the new row of every word, and the words of
    the new rows with their counts, most frequent first.
    """
    names, place = list(words), {word: row for row, word in enumerate(words)}
    first, used = np.arange(len(words)), set[str]()
    for source, target in seeds.pairs:
        if source in place and target in place and source != target and not used & {source, target}:
            used |= {source, target}
            low, high = sorted((place[source], place[target]))
            first[high] = low
    kept, rows = np.unique(first, return_inverse=True)
    counts = np.bincount(rows, weights=list(words.values())).astype(int)
    order = np.argsort(-counts, kind="stable")
    new = np.empty_like(order)
    new[order] = np.arange(len(order))
    return new[rows], {names[kept[row]]: int(counts[row]) for row in order}


def main() -> None:
    """Measure pairs one after the other; start several processes for several pairs."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("corpora", "dictionaries", "work", "output"):
        parser.add_argument(name, type=Path)
    parser.add_argument("pairs", nargs="*", default=list(PAIRS))
    parser.add_argument("--model", default="fasttext")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--random-seeds", nargs="*", type=int, default=[0, 1, 2])
    parser.add_argument("--aligners", nargs="*", default=["rcsls", "procrustes"])
    parser.add_argument("--thresholds", nargs="*", type=float, default=[0.9])
    parser.add_argument("--seeds", choices=list(SEEDS), default="xling-1k")
    parser.add_argument("--share-seeds", action="store_true", help="one vector for a seed pair")
    parser.add_argument("--refine", nargs="*", default=["l2", "l1"])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--only", choices=["text", "apart", "joint"], help="do this part alone")
    parser.add_argument("--keep-spaces", action="store_true", help="for benchmarks.joint_inference")
    parser.add_argument("--table", action="store_true", help="only print the results in OUTPUT")
    chosen = parser.parse_args()
    if not chosen.table:
        work = Work(
            chosen.corpora, chosen.dictionaries, chosen.work,
            chosen.model, chosen.epochs, chosen.device,
        )  # fmt: skip
        chosen.work.mkdir(parents=True, exist_ok=True)
        for pair in chosen.pairs:
            if chosen.only == "text":
                work.prepare(pair)
                continue
            for seed in chosen.random_seeds:
                for result in measured(work, pair, seed, chosen):
                    with chosen.output.open("a") as file:
                        file.write(json.dumps(result) + "\n")
    if chosen.only is not None:
        return
    lines = [json.loads(line) for line in chosen.output.read_text().splitlines()]
    print_table(lines, [pair for pair in PAIRS if pair in chosen.pairs])


def measured(
    work: Work, pair: str, seed: int, chosen: argparse.Namespace
) -> Iterator[dict[str, Any]]:
    """All results of one pair and random seed, those trained apart first."""
    facts = {
        "pair": pair,
        "model": work.model,
        "seed": seed,
        "epochs": work.epochs,
        "seeds": chosen.seeds,
        "shared_seeds": chosen.share_seeds,
    }
    lexicon = work.lexicon(SEEDS[chosen.seeds], pair)
    if chosen.only != "joint":
        yield from measured_apart(work, pair, seed, chosen, facts, lexicon)
    if chosen.only != "apart":
        yield from measured_jointly(work, pair, seed, chosen, facts, lexicon)


def measured_apart(
    work: Work,
    pair: str,
    seed: int,
    chosen: argparse.Namespace,
    facts: dict[str, Any],
    lexicon: Lexicon | None,
) -> Iterator[dict[str, Any]]:
    """The results of vectors that were trained apart; those without refinement are kept."""
    source, target = (work.alone(language, seed).top(LARGEST) for language in pair.split("-"))
    for name in chosen.aligners:
        aligner = work.aligner(name, seed)
        aligned = aligner.fit(source, target, lexicon if aligner.needs_lexicon else None)
        for refinement, space in spaces(aligned, chosen, work.device):
            scores = work.scores(*space, pair)
            if refinement == "none":
                kept = {
                    key: [[*query, one] for query, one in each.items()]
                    for key, each in scores.items()
                }
                work.apart_scores(pair, name, seed).write_text(json.dumps(kept))
            yield {
                "kind": "apart",
                **facts,
                "aligner": name,
                "refine": refinement,
                "matched": aligned.health_record().get("health", {}).get("matched"),
                **{key: mean(each.values()) for key, each in scores.items()},
                "n": {key: len(each) for key, each in scores.items()},
            }


def measured_jointly(
    work: Work,
    pair: str,
    seed: int,
    chosen: argparse.Namespace,
    facts: dict[str, Any],
    lexicon: Lexicon | None,
) -> Iterator[dict[str, Any]]:
    """The results of joint training, beside those of training apart if they are known."""
    joint, speed = work.jointly(pair, seed, lexicon if chosen.share_seeds else None)
    yield {"kind": "trained", **facts, **speed}
    counts = [work.counts(language) for language in pair.split("-")]
    for threshold in chosen.thresholds:
        words = reallocate(joint.words, counts[0], counts[1], threshold)
        shared = {joint.words[place] for place in np.flatnonzero(words.shared).tolist()}
        for name in chosen.aligners:
            aligner = work.aligner(name, seed)
            aligned = align_joint(joint, words, aligner, lexicon if aligner.needs_lexicon else None)
            apart = read_scores(work.apart_scores(pair, name, seed))
            for refinement, space in spaces(aligned, chosen, work.device):
                if chosen.keep_spaces:
                    for side, vectors in zip(("source", "target"), space, strict=True):
                        write(vectors, work.space(pair, name, seed, refinement, side))
                scores = work.scores(*space, pair)
                yield {
                    "kind": "ja",
                    **facts,
                    "aligner": name,
                    "thr": threshold,
                    "refine": refinement,
                    "words": words.as_dict(),
                    "matched": aligned.health_record().get("health", {}).get("matched"),
                    **{
                        key: beside(each, apart.get(key, {}), shared)
                        for key, each in scores.items()
                    },
                }


def read_scores(path: Path) -> Scores:
    """The scores of vectors that were trained apart, none if they were not measured."""
    if not path.exists():
        return {}
    kept = json.loads(path.read_text())
    return {key: {(word, other): one for word, other, one in each} for key, each in kept.items()}


def spaces(
    aligned: Alignment, chosen: argparse.Namespace, device: str
) -> Iterator[tuple[str, tuple[Embeddings, Embeddings]]]:
    """The aligned space, and what refinements make of it."""
    yield "none", (aligned.source, aligned.target)
    for loss in chosen.refine:
        refiner = Refiner(loss=loss, horizon=5e-3, device=device)
        refined = refiner.fit(aligned.source.top(LARGEST), aligned.target.top(LARGEST))
        yield loss, (refined.source, refined.target)


def beside(
    found: dict[tuple[str, str], float], apart: dict[tuple[str, str], float], shared: set[str]
) -> dict[str, Any]:
    """A score on all words, on own words, and on the words that were also trained apart."""
    own = [query for query in found if query[0] not in shared]
    both = [query for query in found if query in apart]
    both_own = [query for query in own if query in apart]
    return {
        "all": mean(found.values()),
        "n": len(found),
        "own": mean(found[query] for query in own),
        "own_n": len(own),
        "both": len(both),
        "ja_both": mean(found[query] for query in both),
        "apart_both": mean(apart[query] for query in both),
        "own_both": len(both_own),
        "ja_own": mean(found[query] for query in both_own),
        "apart_own": mean(apart[query] for query in both_own),
    }


def mean(values: Any) -> float | None:
    """In per cent, with two decimals."""
    numbers = list(values)
    return round(100 * statistics.fmean(numbers), 2) if numbers else None


def print_table(lines: list[dict[str, Any]], pairs: list[str]) -> None:
    """Means over random seeds, a table for every score and aligner."""
    cells = defaultdict[tuple[Any, ...], dict[int, Any]](dict)
    for line in lines:
        for measure in MEASURES:
            if measure in line:
                key = (measure, line["aligner"], line["kind"], line.get("thr"), line["refine"])
                cells[(*key, line["pair"])][line["seed"]] = line[measure]
    heading("Joint-Align and the same aligner apart, means over random seeds")
    for measure, aligner in sorted({key[:2] for key in cells}):
        print(f"\n### {measure}, {aligner}\n")
        table("vectors", *pairs)
        for kind, threshold, refinement in sorted(
            {key[2:5] for key in cells if key[:2] == (measure, aligner)}, key=str
        ):
            for part in ("all",) if kind == "apart" else ("all", "own", "ja_own", "apart_own"):
                shown = [
                    _cell(cells[measure, aligner, kind, threshold, refinement, pair], part)
                    for pair in pairs
                ]
                row(f"{kind} {threshold or ''} {refinement} {part}", *shown)


def _cell(found: dict[int, Any], part: str) -> str:
    values = [value[part] if isinstance(value, dict) else value for value in found.values()]
    values = [value for value in values if value is not None]
    return f"{statistics.fmean(values):.1f} ({len(values)})" if values else "–"


if __name__ == "__main__":
    main()
