"""The path of a run, seen from its vectors on disk."""

import json
import shutil
from itertools import pairwise

import numpy as np
import pytest

from lexalign.errors import InputError
from lexalign.explore.path_of_run import known_path, load_path, save_path, whole_path
from lexalign.explore.vectors import open_languages
from lexalign.pipelines.refine import refine_files
from lexalign.procrustes.orthogonal import orthogonality_error
from lexalign.procrustes.path import POINTS, geodesic
from lexalign.refinement import Refiner
from lexalign.runs import Run
from lexalign.vectors import write
from tests.conftest import planted_pair, small_rotation
from tests.explore.samples import original, refined_run


def path_of(folder, tmp_path):
    """Run, languages and path of a folder."""
    run = Run.open(folder).require_pair()
    languages = open_languages(run, tmp_path / "cache", 200_000)
    return run, languages, whole_path(run, *languages)


def test_a_refinement_goes_from_what_it_was_given_to_what_it_wrote(refined, tmp_path):
    _, (source, _), path = path_of(refined, tmp_path)
    before, _ = original(refined)
    assert path.kind == "descent"
    assert path.shares[0] == 0.0
    assert path.shares[-1] == 1.0
    assert 15 <= len(path) <= POINTS
    assert np.allclose(source.matrix @ path.rotations[0], before.matrix, atol=1e-5)
    assert np.array_equal(path.rotations[-1], np.eye(12))
    assert max(orthogonality_error(rotation) for rotation in path.rotations) < 1e-5


def test_every_point_lowers_the_loss_of_the_pairs(refined, tmp_path):
    run, (source, target), path = path_of(refined, tmp_path)

    pairs = run.lexicon.indices(source, target).pairs
    a, b = source.matrix[pairs[:, 0]], target.matrix[pairs[:, 1]]
    losses = [np.abs(a @ rotation - b).sum(dtype=np.float64) for rotation in path.rotations]
    assert all(one >= other - 1e-3 for one, other in pairwise(losses))
    assert losses[-1] < losses[0]


def test_an_alignment_is_refined_as_in_the_paper(aligned, tmp_path):
    _, (source, target), path = path_of(aligned, tmp_path)
    learned = Refiner(horizon=5e-3).fit(source, target)
    assert path.kind == "descent"
    assert np.array_equal(path.rotations[0], np.eye(12))
    assert np.allclose(path.rotations[-1], learned.map.source.matrix, atol=1e-6)


def test_at_first_only_the_ends_are_known(refined, aligned):
    path = known_path(Run.open(refined).require_pair(), 12)
    assert (path.kind, path.shares) == ("ends", (0.0, 1.0))
    assert np.allclose(path.rotations[0] @ path.rotations[0].T, np.eye(12), atol=1e-5)
    path = known_path(Run.open(aligned).require_pair(), 12)
    assert (path.kind, path.shares) == ("none", (0.0,))


@pytest.mark.parametrize(
    "parameters", [{"rounds": 2}, {"loss": "l2"}, {"solver": "minimum"}, {"weights": "margin"}]
)
def test_other_refinements_have_the_shortest_path(tmp_path, parameters):
    folder = refined_run(tmp_path / "run", **parameters)
    _, (source, _), path = path_of(folder, tmp_path)
    assert path.kind == "geodesic"
    half = path.rotations[len(path) // 2]
    assert np.allclose(source.matrix @ path.rotations[0], original(folder)[0].matrix, atol=1e-5)
    assert np.allclose(half @ half, path.rotations[0], atol=1e-4)


def test_a_path_to_the_minimum_ends_at_its_stopping_point(tmp_path):
    source, target, _ = planted_pair(words=1200, dimension=24, noise=0.16, tilt=2.5)
    files = tmp_path / "one.vec", tmp_path / "two.vec"
    for embeddings, file in zip((source, target), files, strict=True):
        write(embeddings, file)
    refine_files(*files, tmp_path / "run", Refiner(horizon="auto"))
    _, (moved, _), path = path_of(tmp_path / "run", tmp_path)
    assert path.kind == "descent"
    assert path.shares[0] == 0.0
    assert path.shares[-1] == 1.0
    assert all(one < other for one, other in pairwise(path.shares))
    unit = source.matrix / np.linalg.norm(source.matrix, axis=1, keepdims=True)
    assert np.allclose(moved.matrix @ path.rotations[0], unit, atol=1e-4)


def test_an_input_that_was_kept_has_no_path(tmp_path):
    folder = refined_run(tmp_path / "run", horizon="auto")
    assert path_of(folder, tmp_path)[2].kind == "none"


def test_a_lexicon_that_leads_elsewhere_is_not_followed(refined, tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(refined, folder, ignore=shutil.ignore_patterns(".explore"))
    lines = (folder / "lexicon.tsv").read_text(encoding="utf-8").splitlines()
    targets = [line.split("\t")[1] for line in lines]
    mixed = [
        "\t".join((line.split("\t")[0], target))
        for line, target in zip(lines, targets[1:] + targets[:1], strict=True)
    ]
    (folder / "lexicon.tsv").write_text("\n".join(mixed) + "\n", encoding="utf-8")
    assert path_of(folder, tmp_path)[2].kind == "geodesic"


def test_a_path_is_kept(tmp_path):
    path = geodesic(small_rotation(4, 0.5, np.random.default_rng(0)))
    save_path(path, tmp_path / "p.safetensors")
    again = load_path(tmp_path / "p.safetensors")
    assert (again.kind, again.shares) == (path.kind, path.shares)
    assert again.rotations.tobytes() == path.rotations.tobytes()


def test_what_is_no_path_is_refused(tmp_path):
    (tmp_path / "p.safetensors").write_bytes(b"nothing")
    with pytest.raises(InputError, match="not the path of a refinement"):
        load_path(tmp_path / "p.safetensors")


def test_a_matrix_that_is_no_rotation_is_refused(refined, tmp_path):
    from lexalign.spaces import LinearMap, Side, Stage

    folder = tmp_path / "copy"
    shutil.copytree(refined, folder, ignore=shutil.ignore_patterns(".explore"))
    for matrix, problem in ((2 * np.eye(12), "is not a rotation"), (None, "holds no rotation")):
        LinearMap(Side((Stage(matrix=matrix),)), Side()).save(
            folder / "rotation.safetensors", overwrite=True
        )
        with pytest.raises(InputError, match=problem):
            Run.open(folder).require_pair()


def test_parameters_that_make_no_sense_are_passed_over(refined, tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(refined, folder, ignore=shutil.ignore_patterns(".explore"))
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    for change in ({"horizon": "far"}, {"loss": ["l1"]}, {"horizon": -1}, {"rounds": None}):
        record["parameters"] |= change
        (folder / "run.json").write_text(json.dumps(record), encoding="utf-8")
        assert path_of(folder, tmp_path)[2].kind == "geodesic"


@pytest.mark.parametrize(
    ("shares", "rotations"),
    [
        ([0.0, 1.0], np.full((2, 3, 3), np.nan)),
        ([0.0, 1.0], np.zeros((2, 3))),
        ([0.0, 1.0], np.zeros((2, 3, 2))),
        ([0.0, 1.0], np.zeros((2, 3, 3), dtype=np.int64)),
        ([1.0, 0.0], np.zeros((2, 3, 3))),
        ([0.0, np.nan], np.zeros((2, 3, 3))),
        ([[0.0], [1.0]], np.zeros((2, 3, 3))),
    ],
)
def test_a_path_that_makes_no_sense_is_refused(tmp_path, shares, rotations):
    from safetensors.numpy import save_file

    tensors = {"shares": np.array(shares), "rotations": rotations}
    save_file(tensors, tmp_path / "path.safetensors", {"kind": "geodesic"})
    with pytest.raises(InputError, match="this is not the path of a refinement"):
        load_path(tmp_path / "path.safetensors")
