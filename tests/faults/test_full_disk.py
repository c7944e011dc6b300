"""Where nothing more can be written, a command ends with a sentence, and all is as it was."""

import errno
import subprocess
from pathlib import Path

import pytest

from tests.faults.conftest import files, left_over

TOO_LARGE = "the system allows no file of this size and nothing was written"
FULL = "the disk is full and nothing was written"


def refused(bench, home, sentence, **fault):
    """Run a command that cannot write; commands of many steps keep the steps that are done."""
    before = files(home)
    ended = bench.run(home, overwrite=True, **fault)
    assert ended.code == 1, ended.error
    assert "Traceback" not in ended.error
    assert "lexalign-part" not in ended.error
    assert not left_over(home)
    if bench.row.overwrites:
        assert files(home) == before
    for output, held in bench.contents(home).items():
        assert bench.row.overwrites or held == bench.whole[output]
    told = ended.sentence
    if "jobs failed" in told:
        (failure,) = (home / "out" / "failures").iterdir()
        told = f"lexalign: {failure.read_text()}"
    assert told.startswith("lexalign: ")
    assert sentence in told
    places = {home / Path(output).parts[0] for output in bench.row.outputs} | {home / "state"}
    assert any(str(place) in told for place in places)


@pytest.mark.parametrize("room", ["none", "almost enough"])
def test_files_that_may_not_grow_are_an_error_that_names_the_output(bench, room):
    """A limit on the size of files also reaches what libraries write, and works for any user."""
    sizes = [
        file.stat().st_size
        for output in bench.row.outputs
        for path in (bench.folder / "reference").glob(output)
        for file in ([path] if path.is_file() else path.rglob("*"))
        if file.is_file() and file.name != "run.json"
    ]
    home = bench.home("limited", old=bench.row.overwrites)
    refused(bench, home, TOO_LARGE, bytes=0 if room == "none" else max(sizes) - 1)


@pytest.fixture
def disk(tmp_path):
    """A small disk; only some users may mount one."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this user may not mount a disk")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def test_a_full_disk_is_an_error_that_names_the_output(bench, disk):
    home = bench.home("home", old=bench.row.overwrites, place=disk)
    with pytest.raises(OSError, match="No space") as full, (disk / "filler").open("wb") as filler:
        while True:
            filler.write(bytes(4096))
            filler.flush()
    assert full.value.errno == errno.ENOSPC
    refused(bench, home, FULL)


@pytest.mark.parametrize(
    "command",
    [
        "evaluate run --lexicon seeds.txt --json",
        "evaluate run --lexicon seeds.txt",
        "lexicon check seeds.txt --table csv",
        "translate run s1",
    ],
)
def test_a_full_disk_behind_standard_output_is_an_error(warm, inputs, command):
    ended = warm.run(inputs, command.split(), out="/dev/full")
    assert ended.code == 1
    assert ended.sentence == (
        "lexalign: standard output cannot be written (No space left on device); redirect it "
        "elsewhere."
    )
