"""Vectors on disk, and what is kept beside them."""

import shutil
import threading
from pathlib import Path

import numpy as np
import pytest

from lexalign.errors import InputError, LexalignError, OutputError
from lexalign.explore.cache import LOCK, NAME, cache_folder, is_temporary
from lexalign.explore.explorer import open_explorer
from lexalign.explore.preparation import prepare
from lexalign.explore.vectors import convert, map_folder, open_languages
from lexalign.runs import Run
from lexalign.vectors import Embeddings, read, write
from tests.explore.samples import aligned_run, prepare_here, refined_run


def copied(run: Path, tmp_path: Path) -> Path:
    """A copy that may be changed."""
    shutil.copytree(run, tmp_path / "copy", ignore=shutil.ignore_patterns(NAME))
    return tmp_path / "copy"


@pytest.mark.parametrize("output_format", ["vec", "bin", "npz"])
def test_files_are_converted_once(tmp_path, output_format):
    run = Run.open(refined_run(tmp_path / "run", output_format)).require_pair()
    cache = tmp_path / "cache"
    source, target = open_languages(run, cache, 200_000)
    assert {path.name for path in cache.iterdir() if path.is_dir()} == {"source", "target"}
    before = (cache / "source" / "vectors.safetensors").stat().st_mtime_ns
    again, _ = open_languages(run, cache, 200_000)
    assert (cache / "source" / "vectors.safetensors").stat().st_mtime_ns == before
    wanted = read(run.files[0])
    assert list(again.words) == list(source.words) == list(wanted.words)
    assert np.allclose(source.matrix, wanted.matrix, atol=1e-6)
    assert np.allclose(np.linalg.norm(target.matrix, axis=1), 1, atol=1e-6)


def test_of_two_explorers_that_convert_at_once_the_second_waits(tmp_path):
    write(Embeddings(["a", "b", "c"], 3 * np.eye(3)), tmp_path / "a.vec")
    copy = tmp_path / "cache" / "source"
    second = threading.Thread(
        target=convert, args=(tmp_path / "a.vec", copy, 10, lambda rows: None)
    )

    def overtake(rows):
        second.start()
        second.join(0.2)
        assert second.is_alive()

    convert(tmp_path / "a.vec", copy, 10, overtake)
    second.join()
    assert {path.name for path in copy.parent.iterdir()} == {"source", "source.lock"}


def test_a_folder_of_unit_vectors_is_mapped_where_it_is(tmp_path):
    run = Run.open(refined_run(tmp_path / "run", "folder")).require_pair()
    source, _ = open_languages(run, tmp_path / "cache", 200_000)
    assert not (tmp_path / "cache").exists()
    assert isinstance(_owner(source.matrix), np.memmap)


def test_a_folder_of_other_vectors_is_copied(tmp_path):
    write(Embeddings(["a", "b", "c"], 3 * np.eye(3)), tmp_path / "source")
    write(Embeddings(["x", "y", "z"], np.eye(3)), tmp_path / "target")
    (tmp_path / "run.json").write_text('{"format": "lexalign-run-2"}', encoding="utf-8")
    source, target = open_languages(Run.open(tmp_path).require_pair(), tmp_path / "cache", 200_000)
    assert np.array_equal(source.matrix, np.eye(3))
    assert np.array_equal(target.matrix, np.eye(3))
    assert [path.name for path in (tmp_path / "cache").iterdir() if path.is_dir()] == ["source"]


def test_the_most_frequent_words_are_taken(tmp_path):
    for output_format in ("vec", "folder"):
        run = Run.open(refined_run(tmp_path / output_format, output_format)).require_pair()
        source, target = open_languages(run, tmp_path / f"cache-{output_format}", 50)
        assert len(source) == len(target) == len(source.matrix) == 50
        assert list(source.words) == list(read(run.files[0]).words[:50])


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("vectors.safetensors", b""),
        ("vectors.safetensors", b"\xff" * 64),
        ("vectors.safetensors", (2).to_bytes(8, "little") + b"{}"),
        ("vectors.safetensors", (9).to_bytes(8, "little") + b"[" * 9),
        ("vocab.txt", b"a\n"),
        ("meta.json", b"{}"),
    ],
)
def test_damaged_folders_are_refused(tmp_path, file, content):
    write(Embeddings(["a", "b"], np.eye(2)), tmp_path / "source")
    (tmp_path / "source" / file).write_bytes(content)
    with pytest.raises(InputError, match=file.split(".")[0]):
        map_folder(tmp_path / "source", 10)


def test_a_tensor_of_another_shape_is_refused(tmp_path):
    write(Embeddings(["a", "b"], np.eye(2)), tmp_path / "source")
    write(Embeddings(["a", "b", "c"], np.eye(3)), tmp_path / "other")
    file = tmp_path / "other" / "vectors.safetensors"
    file.replace(tmp_path / "source" / "vectors.safetensors")
    with pytest.raises(InputError, match=r"F32 \[3, 3\] is not F32 \[2, 2\]"):
        map_folder(tmp_path / "source", 10)


def test_a_folder_that_no_run_wrote_is_refused(tmp_path):
    with pytest.raises(InputError, match="holds no run.json; name a folder written by"):
        Run.open(tmp_path).require_pair()
    with pytest.raises(InputError, match="there is no such folder"):
        Run.open(tmp_path / "missing").require_pair()
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="this is a file, not the folder of a run; name a folder"):
        Run.open(tmp_path / "file").require_pair()


@pytest.mark.parametrize(
    ("names", "remedy"),
    [(["one"], r"\(one\)"), (["d", "c", "b", "a"], r"\(a, b, c\)")],
)
def test_a_folder_of_runs_names_them(tmp_path, names, remedy):
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / "run.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match=rf"holds no run.json; name a run inside it {remedy}"):
        Run.open(tmp_path).require_pair()


@pytest.mark.parametrize("content", ["", "[]", "[" * 100_000, '"x"', "\xff"])
def test_a_damaged_record_is_refused(tmp_path, content):
    for name in ("source.vec", "target.vec"):
        (tmp_path / name).write_text("a 1 2\n", encoding="utf-8")
    (tmp_path / "run.json").write_text(content, encoding="latin-1")
    with pytest.raises(InputError, match="not the record of a run"):
        Run.open(tmp_path).require_pair()


def test_a_record_that_says_little_is_enough(tmp_path):
    for name in ("source.vec", "target.vec"):
        (tmp_path / name).write_text("a 1 2\nb 2 1\n", encoding="utf-8")
    (tmp_path / "run.json").write_text('{"format": "lexalign-run-2"}', encoding="utf-8")
    run = Run.open(tmp_path).require_pair()
    assert run.language_names == {"source": "source", "target": "target"}
    assert (run.method, run.rotation) == ("unknown", None)


def test_languages_are_called_like_their_files(refined, aligned):
    assert Run.open(aligned).require_pair().language_names == {"source": "one", "target": "two"}
    assert Run.open(refined).require_pair().language_names == {"source": "one", "target": "two"}


def test_what_was_worked_out_for_other_files_is_not_taken_and_goes(refined, tmp_path):
    folder = copied(refined, tmp_path)
    with cache_folder(Run.open(folder).require_pair(), 10) as cache:
        assert cache.parent == folder / NAME
        (cache / "path.safetensors").write_bytes(b"x")
    with cache_folder(Run.open(folder).require_pair(), 10) as same:
        assert same == cache
        assert (cache / "path.safetensors").exists()
    (folder / "lexicon.tsv").write_text("a\tb\n", encoding="utf-8")
    with cache_folder(Run.open(folder).require_pair(), 10) as other:
        assert other != cache
        assert not cache.exists()
        with cache_folder(Run.open(folder).require_pair(), 20) as fewer:
            assert fewer not in (cache, other)
            assert other.exists()
    with cache_folder(Run.open(folder).require_pair(), 10) as again:
        assert again == other
        assert not fewer.exists()


def test_files_that_change_meanwhile_are_noticed(tmp_path):
    folder = refined_run(tmp_path / "run", "folder")

    def change(stage):
        (folder / "lexicon.tsv").write_text("a\tb\n", encoding="utf-8")

    with cache_folder(Run.open(folder).require_pair(), 10) as cache:
        with pytest.raises(
            LexalignError, match="have changed in the meantime; start the explorer again"
        ):
            prepare(folder, cache, 10, change)
        assert [path.name for path in cache.iterdir()] == [LOCK]


def test_what_is_damaged_is_made_anew(tmp_path):
    folder = aligned_run(tmp_path / "run")
    prepare_here(folder)
    (cache,) = (folder / NAME).glob("?" * 16)
    before = {path: path.read_bytes() for path in cache.rglob("*") if path.is_file()}
    for path, content in before.items():
        if path.name != LOCK:
            path.write_bytes(content[: len(content) // 2])
            with open_explorer(folder) as explorer:
                assert explorer.view().space.row("source", "scaa") is not None
            prepare_here(folder)
            assert path.read_bytes() == content
    (cache / "source" / "vocab.txt").unlink()
    with open_explorer(folder):
        assert (cache / "source" / "vocab.txt").is_file()


def test_the_folder_may_be_deleted_at_any_time(tmp_path):
    folder = refined_run(tmp_path / "run", "folder")
    deleted = []

    def delete(stage):
        if stage.name == "CSLS" and not deleted:
            deleted.append(shutil.rmtree(folder / NAME))

    with cache_folder(Run.open(folder).require_pair(), 200_000) as cache:
        prepare(folder, cache, 200_000, delete)
    assert deleted
    assert (cache / "neighbourhood.source.end.npy").is_file()


def test_where_nothing_can_be_written_the_cache_is_temporary(refined, tmp_path):
    folder = copied(refined, tmp_path)
    (folder / NAME).write_text("in the way", encoding="utf-8")
    run = Run.open(folder).require_pair()
    with cache_folder(run, 10) as cache:
        assert is_temporary(cache, run, None)
        assert cache.is_dir()
    assert not cache.exists()
    assert (folder / NAME).read_text(encoding="utf-8") == "in the way"


def test_a_folder_of_other_things_is_not_emptied(refined, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("long work", encoding="utf-8")
    with (
        pytest.raises(OutputError, match="holds files that do not belong to the explorer"),
        cache_folder(Run.open(refined).require_pair(), 10, tmp_path / "mine"),
    ):
        pass
    assert (tmp_path / "mine" / "thesis.txt").exists()


def test_another_place_can_be_named(refined, tmp_path):
    run = Run.open(refined).require_pair()
    with cache_folder(run, 10, tmp_path / "new" / "place") as cache:
        assert cache.parent == tmp_path / "new" / "place"
        assert not is_temporary(cache, run, cache)


def test_long_work_is_done_once_and_goes_on_where_it_stopped(tmp_path):
    folder = refined_run(tmp_path / "run", "folder")
    stages = prepare_here(folder)
    assert [stage.name for stage in stages[:2]] == ["the refinement", "CSLS"]
    assert stages[-1].state == "done"
    for name in ("CSLS", "the map of the vocabulary"):
        shares = [stage.share for stage in stages if stage.name == name]
        assert shares == sorted(shares)
    assert [stage.share for stage in stages if stage.name == "CSLS"][-1] == 1.0
    (cache,) = (folder / NAME).glob("?" * 16)
    (cache / "neighbourhood.target.end.npy").unlink()
    files = {path: path.stat().st_mtime_ns for path in cache.iterdir()}
    prepare_here(folder)
    kept = {path for path, time in files.items() if path.stat().st_mtime_ns == time}
    assert {path.name for path in files} - {path.name for path in kept} <= {LOCK}
    assert (cache / "neighbourhood.target.end.npy").is_file()


def test_everything_prepared_needs_no_process(tmp_path):
    folder = aligned_run(tmp_path / "run")
    prepare_here(folder)
    with open_explorer(folder, names=("English", "German")) as explorer:
        view = explorer.view()
        assert view.stage.state == "done"
        assert view.space.scoring == "csls"
        assert view.space.path.kind == "descent"
        assert explorer.names["target"] == "German"


def test_spaces_that_cannot_be_refined_get_csls_all_the_same(tmp_path):
    """Zero vectors have no mutual translation."""
    for name in ("source", "target"):
        write(Embeddings([f"{name}{i}" for i in range(12)], np.zeros((12, 3))), tmp_path / name)
    (tmp_path / "run.json").write_text('{"format": "lexalign-run-2"}', encoding="utf-8")
    stages = prepare_here(tmp_path)
    assert stages[-1].state == "failed"
    assert "There are no mutual pairs" in stages[-1].message
    with cache_folder(Run.open(tmp_path).require_pair(), 200_000) as cache:
        assert sorted(path.name for path in cache.iterdir()) == [
            LOCK,
            "neighbourhood.source.start.npy",
            "neighbourhood.target.start.npy",
            "vocabulary.components.npy",
        ]


def _owner(array: np.ndarray) -> np.ndarray:
    while isinstance(array.base, np.ndarray) and not isinstance(array, np.memmap):
        array = array.base
    return array
