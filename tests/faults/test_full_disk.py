"""Where nothing more can be written, a command ends with a sentence, and all is as it was."""

import pytest

from tests.faults.conftest import files, left_over


def refused(bench, home, **fault):
    """Run a command that cannot write."""
    before = files(home)
    ended = bench.run(home, overwrite=True, **fault)
    assert ended.code == 1, ended.error
    assert ended.sentence.startswith("lexalign: ")
    assert "Traceback" not in ended.error
    assert str(home) in ended.sentence or "out" in ended.sentence
    assert "lexalign-part" not in ended.error
    assert files(home) == before
    assert not left_over(home)
    return ended.sentence


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
    sentence = refused(bench, home, bytes=0 if room == "none" else max(sizes) - 1)
    assert "allows no file of this size" in sentence or "jobs failed" in sentence
