"""Checkpoints: what was saved comes back, and what is none is refused."""

import numpy as np
import pytest

from lexalign.checkpoint import Checkpoint, State
from lexalign.errors import InputError, OutputError

INPUT = np.arange(6, dtype=np.float32).reshape(3, 2)


def test_a_state_comes_back(tmp_path):
    checkpoint = Checkpoint.of(str(tmp_path / "new" / "folder"), "muse", {"seed": 0}, INPUT)
    assert checkpoint.load() is None
    for number in (1, 2):
        checkpoint.save(State({"map": number * INPUT.T}, {"rate": 0.1, "best": -np.inf}))
    arrays, facts = checkpoint.load()
    np.testing.assert_array_equal(arrays["map"], 2 * INPUT.T)
    assert (facts["rate"], facts["best"]) == (0.1, -np.inf)
    assert [file.name for file in (tmp_path / "new" / "folder").iterdir()] == [checkpoint.path.name]


def test_the_file_is_named_after_all_that_the_work_depends_on(tmp_path):
    def name(settings, *inputs):
        return Checkpoint.of(str(tmp_path), "muse", settings, *inputs).path.name

    base = name({"seed": 0, "epochs": 5}, INPUT)
    assert base == name({"epochs": 5, "seed": 0}, np.asfortranarray(INPUT))
    others = {
        name({"seed": 1, "epochs": 5}, INPUT),
        name({"seed": 0, "epochs": 5}, INPUT + 1),
        name({"seed": 0, "epochs": 5}, INPUT.reshape(2, 3)),
        name({"seed": 0, "epochs": 5}, INPUT.astype(np.float64)),
    }
    assert len(others - {base}) == 4


def test_without_a_folder_nothing_is_kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    checkpoint = Checkpoint.of("", "muse", {}, INPUT)
    checkpoint.save(State({"map": INPUT}, {}))
    assert checkpoint.load() is None
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_checkpoint_is_refused(tmp_path):
    from safetensors.numpy import save

    checkpoint = Checkpoint.of(str(tmp_path), "muse", {}, INPUT)
    checkpoint.save(State({"map": INPUT}, {}))
    whole = checkpoint.path.read_bytes()
    for content in (b"0.1 0.2", whole[:-8], save({"map": INPUT}), save({}, {"lexalign": "[]"})):
        checkpoint.path.write_bytes(content)
        with pytest.raises(InputError, match=r"safetensors: this is not a checkpoint of .*delete"):
            checkpoint.load()
        assert checkpoint.path.read_bytes() == content


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(
        OutputError, match=r"file cannot be used as a folder for checkpoints \(.*choose"
    ):
        Checkpoint.of(str(tmp_path / "file"), "muse", {}, INPUT)


def test_a_flipped_byte_is_noticed(tmp_path):
    checkpoint = Checkpoint.of(str(tmp_path), "muse", {}, INPUT)
    checkpoint.save(State({"map": INPUT, "best": INPUT[0]}, {"epochs": 12}))
    whole = checkpoint.path.read_bytes()
    for place in (len(whole) - 1, whole.index(b"12")):
        damaged = bytearray(whole)
        damaged[place] ^= 1
        checkpoint.path.write_bytes(damaged)
        with pytest.raises(InputError, match="not a checkpoint of .*delete"):
            checkpoint.load()
