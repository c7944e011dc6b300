"""All totals of all stages are true: what is done in the end is what was expected."""

from contextlib import contextmanager

import pytest

from lexalign.cli import main, progress
from lexalign.vectors import write
from tests.conftest import planted_pair

SEEDS = 60


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stages")
    source, target, _ = planted_pair(words=400, dimension=8)
    write(source, folder / "s.vec")
    write(target, folder / "t.npz")
    pairs = list(zip(source.words, target.words, strict=True))
    for name, some in (("seeds.tsv", pairs[:SEEDS]), ("test.tsv", pairs[SEEDS : 2 * SEEDS])):
        (folder / name).write_text("".join(f"{a}\t{b}\n" for a, b in some), "utf-8")
    text = " ".join(word for _ in range(40) for word in source.words[:30])
    (folder / "text.txt").write_text("\n".join([text] * 8), "utf-8")
    return folder


@pytest.fixture
def seen(monkeypatch):
    """All stages of the commands that run."""
    stages = []

    class Recording(progress.LogProgress):
        @contextmanager
        def shown(self, stage):
            stages.append(stage)
            with super().shown(stage):
                yield

    monkeypatch.setattr(progress, "LogProgress", Recording)
    return stages


ALIGN = ("s.vec", "t.npz", "--lexicon", "seeds.tsv", "--output", "out", "--overwrite")
COMMANDS = {
    "procrustes": ("align", "procrustes", *ALIGN, "--rounds", "2"),
    "rcsls": ("align", "rcsls", *ALIGN),
    "dlv": ("align", "dlv", *ALIGN),
    "vecmap": ("align", "vecmap", *ALIGN, "--preset", "semi-supervised", "--patience", "2"),
    "contrastive": ("align", "contrastive", *ALIGN, "--steps", "4", "--vocabulary", "100"),
    "icp": ("align", "icp", "s.vec", "t.npz", "--output", "out", "--overwrite", "--starts", "2"),
    "refine": ("refine", "s.vec", "t.npz", "--output", "out", "--overwrite"),
    "refine to a horizon": (
        "refine", "s.vec", "t.npz", "--output", "out", "--overwrite", "--horizon", "5e-3"
    ),
    "evaluate": ("evaluate", "s.vec", "t.npz", "--lexicon", "test.tsv", "--retrieval", "csls"),
    "evaluate invnn": (
        "evaluate", "s.vec", "t.npz", "--lexicon", "test.tsv", "--retrieval", "invnn"
    ),
    "translate": ("translate", "s.vec", "t.npz", "--all", "--output", "d.tsv", "--overwrite"),
    "translate --mutual": (
        "translate", "s.vec", "t.npz", "--mutual", "--output", "d.tsv", "--overwrite"
    ),
    "convert": ("convert", "t.npz", "t.bin", "--overwrite"),
    "convert with a limit": ("convert", "t.npz", "t.bin", "--overwrite", "--limit", "50"),
    "lexicon check": ("lexicon", "check", "test.tsv", "s.vec", "t.npz"),
    "train": (
        "train", "text.txt", "--output", "v.vec", "--overwrite", "--dimension", "4", "--epochs",
        "2", "--minimum-count", "1", "--model", "skipgram",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_what_is_done_is_what_was_expected(name, folder, seen, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    with pytest.raises(SystemExit) as stop:
        main(list(COMMANDS[name]))
    assert not stop.value.code, capsys.readouterr().err
    assert seen
    for stage in seen:
        told = (stage.name, stage.done, stage.certainty, stage.total)
        assert stage.unit or stage.total is None, told
        if stage.total is None:
            continue
        if stage.certainty == "exactly":
            assert stage.done == stage.total, told
        elif stage.certainty == "at most":
            assert 0 < stage.done <= stage.total, told
        else:
            assert stage.total / 2 < stage.done < 2 * stage.total, told


def test_stages_that_can_have_a_total_have_one(folder, seen, monkeypatch):
    monkeypatch.chdir(folder)
    for name in ("procrustes", "refine", "evaluate", "train"):
        with pytest.raises(SystemExit):
            main(list(COMMANDS[name]))
    without = {stage.name for stage in seen if stage.total is None}
    assert without == {"health check", "solving", "counting words"}
