"""A learned ranking as a folder of text, JSON and safetensors files; no file is executable.

ranking.json        groups of features, calibration, letters, how well it did
views.safetensors   the maps of the views and the densities of all words
pairs.tsv           the dictionary that letters and endings were learned from
forward.0.txt …     the boosters of each direction, as LightGBM writes them

LightGBM crashes on some damaged boosters. So ranking.json has the SHA-256 of every file and of
itself, and a changed ranking is not opened.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lexalign.digests import sha256
from lexalign.errors import InputError
from lexalign.induction.calibration import Calibration
from lexalign.induction.language_pair import LanguagePair
from lexalign.induction.learned_ranking import LearnedRanking
from lexalign.induction.letters import Alphabet, LetterTables
from lexalign.induction.ranker import Ranker
from lexalign.induction.ranking_model import DirectionModel, RankingModel
from lexalign.induction.view import ViewMaps, mapped
from lexalign.induction.views import FittedViews
from lexalign.json_text import json_text
from lexalign.vectors import Embeddings, Lexicon

FORMAT = "lexalign-ranking-2"
SIDES = ("source", "target")


@dataclass(frozen=True)
class RankingFiles:
    """The file names of a ranking."""

    facts: str = "ranking.json"
    views: str = "views.safetensors"
    pairs: str = "pairs.tsv"

    def booster(self, direction: str, number: int) -> str:
        """The file of a booster."""
        return f"{direction}.{number}.txt"


FILES = RankingFiles()


def save_ranking(
    folder: Path,
    pair: LanguagePair,
    model: RankingModel,
    forward: LearnedRanking,
    alignment: ViewMaps,
) -> None:
    """Write a ranking into a new folder, for use with aligned vectors.

    ``alignment`` has the maps from the normalised vectors of ``pair`` to the written vectors.
    """
    from safetensors.numpy import save_file

    folder.mkdir()
    evidence, tensors = forward.evidence, dict[str, np.ndarray]()
    for name, matrix in zip(SIDES, (alignment.source, alignment.target), strict=True):
        if matrix is not None:
            tensors[f"base.{name}"] = np.linalg.pinv(matrix.astype(np.float64))
    for number, (view, maps) in enumerate(zip(evidence.views, model.fitted.maps, strict=True)):
        for name, matrix in zip(SIDES, (maps.source, maps.target), strict=True):
            if matrix is not None:
                tensors[f"{number}.{name}"] = np.ascontiguousarray(matrix)
        tensors[f"{number}.source.density"] = view.source_density
        tensors[f"{number}.target.density"] = view.target_density
    letters = evidence.letters.tables
    tensors |= {
        "letters.replace": np.ascontiguousarray(letters.replace),
        "letters.drop": letters.drop,
        "letters.insert": letters.insert,
        "letters.source": letters.shares[0],
        "letters.target": letters.shares[1],
    }
    save_file(tensors, folder / FILES.views)
    one, other = pair.source.words, pair.target.words
    pairs = Lexicon([(one[row], other[key]) for row, key in model.fitted.pairs.tolist()])
    pairs.writable().write(folder / FILES.pairs)
    facts = {
        "format": FORMAT,
        "views": len(evidence.views),
        "alphabets": ["".join(alphabet.numbers) for alphabet in letters.alphabets],
        "related": letters.related,
        "directions": {
            name: _save_direction(folder, name, direction)
            for name, direction in model.directions.items()
        },
    }
    facts["files"] = {file.name: sha256(file) for file in sorted(folder.iterdir())}
    facts["sha256"] = _digest(facts)
    text = json_text(facts, indent=1)
    (folder / FILES.facts).write_text(f"{text}\n", encoding="utf-8")


def _save_direction(folder: Path, name: str, direction: DirectionModel) -> dict[str, Any]:
    texts = [] if direction.ranker is None else direction.ranker.texts
    for number, text in enumerate(texts):
        (folder / FILES.booster(name, number)).write_text(text, encoding="utf-8")
    return {
        "kind": direction.kind,
        "boosters": len(texts),
        "groups": list(direction.groups),
        "calibration": direction.calibration.weights.tolist(),
        **direction.record,
    }


def load_ranking(
    folder: Path, source: Embeddings, target: Embeddings, device: str = "cpu"
) -> dict[str, LearnedRanking]:
    """Read the rankings of both directions for aligned vectors.

    Raises
    ------
    InputError
        If a file is missing or damaged.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        facts = _whole_facts(folder)
        tensors = load_file(folder / FILES.views)
        one, other = (
            side.with_matrix(mapped(side.matrix, tensors.get(f"base.{name}")))
            for name, side in zip(SIDES, (source, target), strict=True)
        )
        pair = LanguagePair(one, other, device)
        fitted, densities = _views(tensors, facts["views"])
        pairs = Lexicon.read(folder / FILES.pairs).indices(source, target).pairs
        evidence = pair.evidence(
            FittedViews(fitted, pairs),
            _letters(tensors, facts),
            _whole(densities, len(source), len(target)),
        )
        sides = {"forward": evidence, "backward": evidence.swapped}
        return {
            name: LearnedRanking(
                sides[name],
                _ranker(folder, name, direction["boosters"]),
                Calibration(np.array(direction["calibration"])),
                tuple(direction["groups"]),
            )
            for name, direction in facts["directions"].items()
        }
    except (
        OSError, SafetensorError, AttributeError, KeyError, TypeError, ValueError, RecursionError,
    ) as error:  # fmt: skip
        raise InputError(
            f"this is not a ranking of Lexalign ({error})",
            path=folder,
            remedy="repeat the induction, or use `ranking=csls`",
        ) from error


def _whole_facts(folder: Path) -> dict[str, Any]:
    """Return the content of ranking.json; raise ValueError if it or another file was changed."""
    facts: dict[str, Any] = json.loads((folder / FILES.facts).read_bytes())
    if facts["format"] != FORMAT:
        raise ValueError(f"its format is {facts['format']!r}, not {FORMAT!r}")
    written = {FILES.facts: facts.pop("sha256"), **facts["files"]}
    found = {FILES.facts: _digest(facts)}
    found |= {name: sha256(folder / Path(name).name) for name in facts["files"]}
    for name, digest in written.items():
        if found[name] != digest:
            raise ValueError(f"{name} is not the file that the induction wrote")
    return facts


def _digest(facts: Mapping[str, Any]) -> str:
    """The SHA-256 of facts after writing and reading them."""
    read = json.loads(json.dumps(facts))
    return hashlib.sha256(json.dumps(read, sort_keys=True).encode()).hexdigest()


def ranked_words(folder: Path) -> tuple[int, int]:
    """The numbers of source and target words of a ranking.

    Raises
    ------
    InputError
        If its file is missing or damaged.
    """
    from safetensors import SafetensorError, safe_open

    path = folder / FILES.views
    try:
        with safe_open(path, framework="numpy") as content:
            one, other = (content.get_slice(f"0.{name}.density").get_shape()[0] for name in SIDES)
    except (OSError, SafetensorError, IndexError) as error:
        raise InputError(
            f"this does not hold the views of a ranking ({error})",
            path=path,
            remedy="repeat the induction, or use `ranking=csls`",
        ) from error
    return one, other


def _views(
    tensors: Mapping[str, np.ndarray], count: int
) -> tuple[tuple[ViewMaps, ...], list[tuple[np.ndarray, np.ndarray]]]:
    maps, densities = list[ViewMaps](), list[tuple[np.ndarray, np.ndarray]]()
    for number in range(count):
        maps.append(ViewMaps(*(tensors.get(f"{number}.{name}") for name in SIDES)))
        one, other = (tensors[f"{number}.{name}.density"] for name in SIDES)
        densities.append((one, other))
    return tuple(maps), densities


def _whole(
    densities: list[tuple[np.ndarray, np.ndarray]], sources: int, targets: int
) -> list[tuple[np.ndarray, np.ndarray]] | None:
    """The densities if they cover all words; otherwise None, as the neighbours differ."""
    fits = all((len(one), len(other)) == (sources, targets) for one, other in densities)
    return densities if fits else None


def _letters(tensors: Mapping[str, np.ndarray], facts: Mapping[str, Any]) -> LetterTables:
    one, other = (
        Alphabet({letter: number for number, letter in enumerate(letters, start=1)})
        for letters in facts["alphabets"]
    )
    return LetterTables(
        (one, other),
        (tensors["letters.source"], tensors["letters.target"]),
        tensors["letters.replace"],
        tensors["letters.drop"],
        tensors["letters.insert"],
        facts["related"],
    )


def _ranker(folder: Path, direction: str, boosters: int) -> Ranker | None:
    if not boosters:
        return None
    files = (folder / FILES.booster(direction, number) for number in range(boosters))
    return Ranker.from_texts([file.read_text(encoding="utf-8") for file in files])
