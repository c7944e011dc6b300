"""The map of the vocabulary: how it is drawn, kept and answered, and what happens without it."""

import shutil
import sys

import numpy as np
import pytest
from starlette.testclient import TestClient

from lexalign.errors import InputError, LexalignError
from lexalign.explore import vocabulary, vocabulary_projection
from lexalign.explore.cache import NAME
from lexalign.explore.explorer import open_explorer
from lexalign.explore.guard import allowed_hosts
from lexalign.explore.preparation import VOCABULARY, PreparationStage, prepare
from lexalign.explore.service import make_service
from lexalign.explore.vocabulary import EXTENT, find_vocabulary, known_vocabulary
from lexalign.explore.vocabulary_answer import drawn, vocabulary_state
from lexalign.explore.vocabulary_graph import NEIGHBOURS, bilingual_graph
from lexalign.explore.vocabulary_projection import (
    planned_method,
    principal_plane,
    project,
)
from lexalign.vectors import Embeddings
from tests.conftest import planted_pair
from tests.explore.samples import ODD_WORDS, named, opened, prepare_here
from tests.explore.test_service import ask

HOST = "127.0.0.1"


@pytest.fixture(scope="module")
def pair():
    """Two small languages of unit length, with odd words."""
    source, target, _ = planted_pair(words=120, dimension=12, noise=0.1, tilt=0.1)
    unit = (
        side.with_matrix(side.matrix / np.linalg.norm(side.matrix, axis=1, keepdims=True))
        for side in (source, target)
    )
    return tuple(named(side, prefix) for side, prefix in zip(unit, "st", strict=True))


@pytest.fixture
def without_library(monkeypatch):
    """An installation without the extra."""
    monkeypatch.setattr(vocabulary_projection, "find_spec", lambda name: None)


def copied(run, tmp_path):
    """A copy for which nothing is prepared."""
    shutil.copytree(run, tmp_path / "copy", ignore=shutil.ignore_patterns(NAME))
    return tmp_path / "copy"


# The graph and the plane ------------------------------------------------------------------------


def test_every_word_has_neighbours_of_both_languages_with_equal_weight(pair):
    source, target = (side.matrix for side in pair)
    graph = bilingual_graph(source, target).toarray()
    count = len(source)
    assert graph.shape == (count + len(target),) * 2
    assert graph.sum() == pytest.approx(1)
    assert np.array_equal(graph, graph.T)
    assert (np.diag(graph) == 0).all()
    assert graph[:count, :count].sum() == pytest.approx(0.25)
    assert graph[:count, count:].sum() == pytest.approx(0.25)
    assert ((graph[:, :count] > 0).sum(axis=1) >= NEIGHBOURS).all()
    assert ((graph[:, count:] > 0).sum(axis=1) >= NEIGHBOURS).all()


def test_equal_vectors_are_no_neighbours_of_themselves():
    words = np.zeros((40, 3), dtype=np.float32)
    words[:, 0] = 1
    graph = bilingual_graph(words, words).toarray()
    assert (np.diag(graph) == 0).all()
    assert graph.sum() == pytest.approx(1)


@pytest.mark.parametrize("words", [2, 5])
def test_few_words_have_fewer_neighbours(words):
    matrix = np.eye(words, 6, dtype=np.float32)
    graph = bilingual_graph(matrix, matrix)
    assert graph.sum() == pytest.approx(1)


def test_principal_components_are_those_of_largest_variance():
    generator = np.random.default_rng(1)
    words = generator.standard_normal((200, 5)) * [1, 7, 1, 3, 1]
    plane = principal_plane(words)
    centred = words - words.mean(axis=0)
    wanted = np.linalg.svd(centred, full_matrices=False)[1][:2]
    assert np.linalg.norm(plane, axis=0) == pytest.approx(wanted)
    assert np.corrcoef(plane[:, 0], centred[:, 1])[0, 1] > 0.99


@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (4, 1), (3, 2)])
def test_a_plane_has_two_axes_however_few_there_are(shape):
    assert principal_plane(np.ones(shape)).shape == (shape[0], 2)


@pytest.mark.parametrize("method", ["neighbours", "components"])
def test_a_map_is_the_same_every_time(pair, method):
    if method == "neighbours":
        pytest.importorskip("openTSNE")
    matrices = [side.matrix for side in pair]
    one, two = (project(*matrices, method) for _ in range(2))
    assert one.shape == (240, 2)
    assert np.array_equal(one, two)


def test_translations_lie_near_each_other_and_languages_mix(pair):
    pytest.importorskip("openTSNE")
    from scipy.spatial import cKDTree

    shares = []
    points = project(*(side.matrix for side in pair), "neighbours", shares.append)
    near = cKDTree(points).query(points, 11)[1][:, 1:]
    count = len(pair[0])
    is_near = [row + count in near[row] for row in range(count)]
    assert np.mean(is_near) > 0.6
    mixed = (near[:count] >= count).mean()
    assert 0.35 < mixed < 0.65
    assert shares == sorted(shares)
    assert shares[-1] == 1


@pytest.mark.parametrize("kinds", [0, 1, 2])
def test_equal_and_zero_vectors_can_be_drawn(kinds):
    """No vectors but zeros, one vector for all words, and two vectors."""
    pytest.importorskip("openTSNE")
    words = np.zeros((60, 4), dtype=np.float32)
    if kinds:
        words[np.arange(60), np.arange(60) % kinds] = 1
    points = project(words, words, "neighbours")
    assert len(np.unique(points.round(6), axis=0)) >= max(1, kinds)
    assert np.isfinite(points).all()


def test_points_that_are_not_finite_are_an_error(pair, monkeypatch):
    bad = np.full((240, 2), np.nan)
    monkeypatch.setattr(vocabulary_projection, "principal_plane", lambda words: bad)
    with pytest.raises(LexalignError, match="not finite; check the vectors"):
        project(*(side.matrix for side in pair), "components")


def test_without_the_library_and_for_few_words_components_are_drawn(pair, without_library):
    assert planned_method(*(side.matrix for side in pair)) == "components"


def test_few_words_are_drawn_by_components(pair):
    assert planned_method(*(side.matrix[:10] for side in pair)) == "components"


def test_a_broken_library_is_named(pair, monkeypatch):
    monkeypatch.setitem(sys.modules, "openTSNE", None)
    with pytest.raises(LexalignError, match=r"pip install 'lexalign\[map\]'"):
        project(*(side.matrix for side in pair), "neighbours")


# The cache --------------------------------------------------------------------------------------


def test_a_map_is_drawn_once(pair, tmp_path, without_library, monkeypatch):
    first = find_vocabulary(*pair, tmp_path)
    assert first.method == "components"
    assert first.points.dtype == np.uint16
    assert (first.points.min(), first.points.max()) == (0, EXTENT)
    assert [path.name for path in tmp_path.iterdir()] == ["vocabulary.components.npy"]
    monkeypatch.setattr(vocabulary, "project", None)
    again = find_vocabulary(*pair, tmp_path)
    assert np.array_equal(again.points, first.points)
    assert again.words == first.words


def test_the_most_frequent_words_are_drawn(pair, tmp_path, monkeypatch, without_library):
    monkeypatch.setattr(vocabulary, "WORDS", 70)
    found = find_vocabulary(*pair, tmp_path)
    assert found.points.shape == (140, 2)
    assert found.words["source"] == list(pair[0].words[:70])


def test_a_better_map_takes_the_place_of_components(pair, tmp_path, monkeypatch):
    monkeypatch.setattr(vocabulary_projection, "find_spec", lambda name: None)
    find_vocabulary(*pair, tmp_path)
    monkeypatch.setattr(vocabulary_projection, "find_spec", lambda name: object())
    assert known_vocabulary(*pair, tmp_path) is None
    np.save(tmp_path / "vocabulary.neighbours.npy", np.zeros((240, 2), dtype=np.uint16))
    monkeypatch.setattr(vocabulary_projection, "find_spec", lambda name: None)
    assert known_vocabulary(*pair, tmp_path).method == "neighbours"


def test_words_that_all_lie_in_one_place_can_be_drawn(tmp_path):
    side = Embeddings(["a", "b"], [[1, 0], [1, 0]])
    found = find_vocabulary(side, side, tmp_path)
    assert (found.points == found.points[0]).all()


def test_nothing_is_kept_of_files_that_changed(pair, tmp_path, without_library):
    def changed():
        raise LexalignError("The files have changed.")

    with pytest.raises(LexalignError, match="have changed"):
        find_vocabulary(*pair, tmp_path / "cache", before_writing=changed)
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("content", [b"", b"\x93NUMPY", b"x" * 200])
def test_a_damaged_file_is_named(pair, tmp_path, without_library, content):
    (tmp_path / "vocabulary.components.npy").write_bytes(content)
    with pytest.raises(InputError, match="does not hold a map of 240 words"):
        known_vocabulary(*pair, tmp_path)


@pytest.mark.parametrize(
    "points",
    [
        np.zeros((239, 2), dtype=np.uint16),
        np.zeros((240, 2)),
        np.zeros(480, dtype=np.uint16),
    ],
)
def test_a_file_of_another_shape_is_refused(pair, tmp_path, without_library, points):
    np.save(tmp_path / "vocabulary.components.npy", points)
    with pytest.raises(InputError, match="delete it"):
        known_vocabulary(*pair, tmp_path)


def test_a_damaged_map_is_drawn_again_when_a_run_is_opened(refined, tmp_path):
    folder = copied(refined, tmp_path)
    stages = prepare_here(folder)
    assert stages[-1] == PreparationStage("done")
    assert any(stage.name == VOCABULARY for stage in stages)
    (file,) = (folder / NAME).glob("*/vocabulary.*.npy")
    before = np.load(file)
    file.write_bytes(b"damaged")
    with open_explorer(folder) as explorer:
        assert explorer.view().vocabulary is None
    prepare_here(folder)
    assert np.array_equal(np.load(file), before)


# The service ------------------------------------------------------------------------------------


def test_the_answer_has_all_words_with_their_places(client, explorer):
    answer = ask(client, "/api/vocabulary").json()
    for side in ("source", "target"):
        assert answer[side]["words"] == list(explorer.view().space.sides[side].words)
        assert len(answer[side]["x"]) == len(answer[side]["y"]) == 300
    assert answer["extent"] == EXTENT
    assert set(ODD_WORDS.values()) <= set(answer["source"]["words"])
    points = explorer.view().vocabulary.points
    assert answer["target"]["x"] == points[300:, 0].tolist()
    assert answer["source"]["y"] == points[:300, 1].tolist()
    assert ask(client, "/api/about").json()["vocabulary"] == "done"


def test_twenty_thousand_words_are_less_than_a_megabyte():
    import json

    words = {
        side: [f"{side}{number:05}" for number in range(10_000)] for side in ("source", "target")
    }
    points = np.full((20_000, 2), EXTENT, dtype=np.uint16)
    answer = drawn(vocabulary.VocabularyMap("components", points, words))
    assert len(json.dumps(answer, separators=(",", ":"))) < 1_000_000


def test_parameters_are_refused(client):
    assert ask(client, "/api/vocabulary", k=3).status_code == 400


@pytest.mark.parametrize(
    ("stage", "code", "sentence"),
    [
        (
            PreparationStage("running", VOCABULARY, 0.374),
            "not-ready",
            "The map is not ready (at work: the map of the vocabulary, 37 %); ask again later.",
        ),
        (
            PreparationStage("running", "the refinement"),
            "not-ready",
            "The map is not ready (at work: the refinement); ask again later.",
        ),
        (
            PreparationStage("failed", message="Out of memory."),
            "no-map",
            "The map could not be drawn (Out of memory); start the explorer again.",
        ),
    ],
)
def test_without_a_map_one_sentence_says_why(explorer, monkeypatch, stage, code, sentence):
    from dataclasses import replace

    view = replace(explorer.view(), vocabulary=None, stage=stage)
    monkeypatch.setattr(explorer, "view", lambda: view)
    with TestClient(
        make_service([explorer], allowed_hosts(HOST)), base_url=f"http://{HOST}"
    ) as client:
        response = ask(client, "/api/vocabulary")
        assert response.status_code == 503
        error = response.json()["error"]
        assert (error["code"], error["message"]) == (code, sentence)
        assert ask(client, "/api/about").json()["vocabulary"] == stage.state
    assert vocabulary_state(view) == stage.state


def test_a_map_that_cannot_be_drawn_leaves_csls(refined, tmp_path, monkeypatch):
    from lexalign.explore import preparation

    def fail(*arguments, **options):
        raise LexalignError("The map of the vocabulary has points that are not finite.")

    folder = copied(refined, tmp_path)
    monkeypatch.setattr(preparation, "find_vocabulary", fail)
    with pytest.raises(LexalignError, match="not finite"):
        prepare_here(folder)
    names = {path.name for path in (folder / NAME).glob("*/*")}
    assert "neighbourhood.target.end.npy" in names
    assert not any(name.startswith("vocabulary") for name in names)


def test_a_limit_of_words_limits_the_map(refined, tmp_path):
    from contextlib import ExitStack

    with ExitStack() as stack:
        explorer = opened(stack, copied(refined, tmp_path), limit=60)
        assert explorer.view().vocabulary.points.shape == (120, 2)
        assert explorer.view().stage.state == "done"


def test_files_that_change_before_the_map_is_written_are_noticed(refined, tmp_path):
    from lexalign.explore.cache import cache_folder
    from lexalign.runs import Run

    folder = copied(refined, tmp_path)

    def change(stage):
        if stage.name == VOCABULARY:
            (folder / "lexicon.tsv").write_text("a\tb\n", encoding="utf-8")

    with cache_folder(Run.open(folder).require_pair(), 200_000) as cache:
        with pytest.raises(LexalignError, match="have changed in the meantime"):
            prepare(folder, cache, 200_000, change)
        assert not list(cache.glob("vocabulary.*"))
