"""The way of a refinement, seen from the vectors on disk."""

import json
import shutil
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from lexalign.errors import InputError
from lexalign.explore.path import (
    STOPS,
    RefinementPath,
    Walk,
    geodesic,
    known_path,
    whole_path,
)
from lexalign.explore.run_folder import read_run
from lexalign.explore.vectors import open_languages
from lexalign.pipelines.refine import refine_files
from lexalign.procrustes.orthogonal import orthogonality_error
from lexalign.refinement import Refiner
from lexalign.vectors import write
from tests.conftest import planted_pair, random_rotation, small_rotation
from tests.explore.samples import original, refined_run


def path_of(folder, tmp_path):
    """Run, languages and path of a folder."""
    run = read_run(folder)
    languages = open_languages(run, tmp_path / "cache", 200_000)
    return run, languages, whole_path(run, *languages)


def test_a_refinement_goes_from_what_it_was_given_to_what_it_wrote(refined, tmp_path):
    _, (source, _), path = path_of(refined, tmp_path)
    before, _ = original(refined)
    assert path.kind == "descent"
    assert path.positions[0] == 0.0
    assert path.positions[-1] == 1.0
    assert 15 <= len(path) <= STOPS
    assert np.allclose(source.matrix @ path.rotations[0], before.matrix, atol=1e-5)
    assert np.array_equal(path.rotations[-1], np.eye(12))
    assert max(orthogonality_error(rotation) for rotation in path.rotations) < 1e-5


def test_every_stop_lowers_the_loss_of_the_pairs(refined, tmp_path):
    run, (source, target), path = path_of(refined, tmp_path)
    from lexalign.vectors import Lexicon

    pairs = Lexicon.read(run.lexicon).indices(source, target).pairs
    a, b = source.matrix[pairs[:, 0]], target.matrix[pairs[:, 1]]
    losses = [np.abs(a @ rotation - b).sum(dtype=np.float64) for rotation in path.rotations]
    assert all(one >= other - 1e-3 for one, other in pairwise(losses))
    assert losses[-1] < losses[0]


def test_an_alignment_is_refined_as_in_the_paper(aligned, tmp_path):
    _, (source, target), path = path_of(aligned, tmp_path)
    learned = Refiner(horizon=5e-3).learn(source, target)
    assert path.kind == "descent"
    assert np.array_equal(path.rotations[0], np.eye(12))
    assert np.allclose(path.rotations[-1], learned.rotation, atol=1e-6)


def test_at_first_only_the_ends_are_known(refined, aligned):
    path = known_path(read_run(refined), 12)
    assert (path.kind, path.positions) == ("ends", (0.0, 1.0))
    assert np.allclose(path.rotations[0] @ path.rotations[0].T, np.eye(12), atol=1e-5)
    path = known_path(read_run(aligned), 12)
    assert (path.kind, path.positions) == ("none", (0.0,))


@pytest.mark.parametrize(
    "parameters", [{"rounds": 2}, {"loss": "l2"}, {"solver": "minimum"}, {"weights": "margin"}]
)
def test_other_refinements_turn_the_shortest_way(tmp_path, parameters):
    folder = refined_run(tmp_path / "run", **parameters)
    _, (source, _), path = path_of(folder, tmp_path)
    assert path.kind == "geodesic"
    half = path.rotations[len(path) // 2]
    assert np.allclose(source.matrix @ path.rotations[0], original(folder)[0].matrix, atol=1e-5)
    assert np.allclose(half @ half, path.rotations[0], atol=1e-4)


def test_a_whole_path_is_shown_up_to_where_it_was_left(tmp_path):
    source, target, _ = planted_pair(words=1200, dimension=24, noise=0.16, tilt=2.5)
    files = tmp_path / "one.vec", tmp_path / "two.vec"
    for embeddings, file in zip((source, target), files, strict=True):
        write(embeddings, file)
    refine_files(*files, tmp_path / "run", Refiner(horizon="auto"))
    _, (moved, _), path = path_of(tmp_path / "run", tmp_path)
    assert path.kind == "descent"
    assert path.positions[0] == 0.0
    assert path.positions[-1] == 1.0
    assert all(one < other for one, other in pairwise(path.positions))
    unit = source.matrix / np.linalg.norm(source.matrix, axis=1, keepdims=True)
    assert np.allclose(moved.matrix @ path.rotations[0], unit, atol=1e-4)


def test_an_input_that_was_left_alone_has_no_way(tmp_path):
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


def test_a_reflection_has_no_shortest_way():
    generator = np.random.default_rng(0)
    reflection = random_rotation(6, generator)
    if np.linalg.det(reflection) > 0:
        reflection[:, 0] *= -1
    assert geodesic(reflection) is None


def test_the_geodesic_is_straight():
    rotation = small_rotation(9, 1.3, np.random.default_rng(1))
    path = geodesic(rotation)
    assert len(path) == STOPS
    steps = [one.T @ other for one, other in pairwise(path.rotations)]
    assert np.allclose(steps, steps[0], atol=1e-5)
    assert np.allclose(path.rotations[0], rotation.T, atol=1e-6)


@pytest.mark.parametrize("steps", [2, 33, 84, 1000])
def test_a_walk_of_any_length_keeps_few_points(steps):
    walk = Walk()
    for step in range(steps):
        walk(SimpleNamespace(rotation=np.eye(2) * step, loss=0.0, step_length=1.0))
    points = walk.points
    assert len(points) <= 4 * STOPS
    assert points[0][0] == 0.0
    assert points[-1][0] == steps - 1
    path = walk.path(np.eye(2), before=None)
    assert len(path) == min(steps, STOPS)
    assert path.positions[-1] == 1.0
    assert np.diff(path.positions).max() < 0.1 or steps == 2


def test_the_nearest_stop_is_taken():
    path = RefinementPath("descent", (0.0, 0.3, 1.0), np.stack([np.eye(2)] * 3))
    assert [path.stop(t) for t in (0.0, 0.1, 0.2, 0.3, 0.64, 0.66, 1.0)] == [0, 0, 1, 1, 1, 2, 2]


def test_a_path_is_kept(tmp_path):
    path = geodesic(small_rotation(4, 0.5, np.random.default_rng(0)))
    path.save(tmp_path / "p.safetensors")
    again = RefinementPath.load(tmp_path / "p.safetensors")
    assert (again.kind, again.positions) == (path.kind, path.positions)
    assert again.rotations.tobytes() == path.rotations.tobytes()


def test_what_is_no_path_is_refused(tmp_path):
    (tmp_path / "p.safetensors").write_bytes(b"nothing")
    with pytest.raises(InputError, match="not the path of a refinement"):
        RefinementPath.load(tmp_path / "p.safetensors")


def test_a_matrix_that_is_no_rotation_is_refused(refined, tmp_path):
    from lexalign.spaces import LinearMap, Side

    folder = tmp_path / "copy"
    shutil.copytree(refined, folder, ignore=shutil.ignore_patterns(".explore"))
    for matrix, problem in ((2 * np.eye(12), "no rotation"), (None, "holds no rotation")):
        LinearMap(Side(matrix=matrix), Side()).save(folder / "map.safetensors", overwrite=True)
        with pytest.raises(InputError, match=problem):
            read_run(folder)


def test_parameters_that_make_no_sense_are_passed_over(refined, tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(refined, folder, ignore=shutil.ignore_patterns(".explore"))
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    for change in ({"horizon": "far"}, {"loss": ["l1"]}, {"horizon": -1}, {"rounds": None}):
        record["parameters"] |= change
        (folder / "run.json").write_text(json.dumps(record), encoding="utf-8")
        assert path_of(folder, tmp_path)[2].kind == "geodesic"
