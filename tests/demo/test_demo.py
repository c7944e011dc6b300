import json

import pytest

from lexalign import Run, refine
from lexalign.demo import demo_embeddings, demo_lexicon, run_demo
from lexalign.demo.demonstration import MARKER
from lexalign.errors import OutputError
from lexalign.evaluation import PROTOCOLS
from lexalign.pipelines.evaluate import evaluate_files
from lexalign.runs import aligned_pairs
from tests.conftest import exit_code


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """The folder and the result of a demonstration that keeps its runs."""
    folder = tmp_path_factory.mktemp("kept") / "demo"
    return folder, run_demo(output=folder)


def test_the_embedded_data_is_complete():
    for language in ("en", "de"):
        assert demo_embeddings(language).matrix.shape == (10_000, 300)
    assert len(demo_lexicon("seeds").pairs) == 600
    assert len(demo_lexicon("test").pairs) == 1_200


def test_the_demonstration_aligns_and_refines(kept):
    _, result = kept
    for scores in (result.before, result.after):
        assert scores["csls"].queries == 1_200
        assert scores["csls"].precision(1) > 0.7
        assert scores["csls"].precision(1) >= scores["nn"].precision(1)
    entry = result.refined.record["history"][0]
    assert entry["l1_after"] < entry["l1_before"]
    assert "wasser" in result.translations["water"]


def test_refinement_that_stops_by_itself_leaves_the_demonstration_alone(kept):
    aligned = kept[1].aligned
    (entry,) = refine(aligned.source, aligned.target).history
    assert entry["outcome"] == "unchanged"


def test_the_figures_are_those_of_evaluate(kept):
    folder, result = kept
    retrievals = {"retrievals": ("csls",), "ranking": "auto"}
    found, _ = evaluate_files(
        aligned_pairs([folder / "induced"]), [folder / "test.tsv"], PROTOCOLS["muse"], **retrievals
    )
    shown = [result.plain.scores(), result.learned.scores()]
    assert [one.result.scores() for one in found] == shown


def test_the_learned_ranking_is_better_than_csls(kept):
    _, result = kept
    assert result.learned.precision(1) > result.plain.precision(1) + 0.05
    assert len(result.dictionary) == 10
    assert all(0 < chance < 1 for _, chance in result.dictionary.values())


def test_kept_runs_can_be_opened_and_name_their_own_place(kept):
    folder, _ = kept
    assert sorted(path.name for path in folder.iterdir()) == [
        "aligned", "de.bin", "demo.json", "en.bin", "induced", "refined", "seeds.tsv", "test.tsv",
    ]  # fmt: skip
    assert sorted(folder.parent.iterdir()) == [folder]
    for name in ("aligned", "refined", "induced"):
        run = Run.open(folder / name)
        assert len(run.source) == len(run.target) == 10_000
        assert run.language_names == {"source": "en", "target": "de"}
        assert str(folder) in json.dumps(run.record)
        assert ".lexalign" not in json.dumps(run.record["inputs"])
    assert len(Run.open(folder / "induced").dictionary.top(1)) == 10_000


def test_a_folder_is_replaced_only_if_a_demonstration_wrote_it(kept, capsys, monkeypatch):
    folder, _ = kept

    def work(*arguments, **options):
        raise AssertionError("no work before the folder was claimed")

    monkeypatch.setattr("lexalign.demo.demonstration._demonstrate", work)
    assert exit_code("demo", "--output", folder) == 1
    assert "already exists" in capsys.readouterr().err
    with pytest.raises(AssertionError, match="claimed"):
        run_demo(output=folder, overwrite=True)
    (folder / "notes.txt").write_text("precious")
    with pytest.raises(OutputError, match=r"holds notes\.txt, which Lexalign did not write"):
        run_demo(output=folder, overwrite=True)
    (folder / "notes.txt").unlink()
    (folder / "refined" / ".explore").mkdir()
    (folder / "refined" / ".explore" / "cache").write_text("ours")
    with pytest.raises(AssertionError, match="claimed"):
        run_demo(output=folder, overwrite=True)
    review = folder / "refined" / "review.tsv"
    review.write_text("precious")
    with pytest.raises(OutputError, match=r"holds refined/review\.tsv, the decisions of a review"):
        run_demo(output=folder, overwrite=True)
    review.unlink()
    (folder / MARKER).write_text("{}")
    with pytest.raises(OutputError, match="was not written by Lexalign"):
        run_demo(output=folder, overwrite=True)


def test_an_error_leaves_nothing_behind(tmp_path, monkeypatch):
    def fail(*arguments, **options):
        raise RuntimeError("broken")

    monkeypatch.setattr("lexalign.demo.demonstration.refine_files", fail)
    with pytest.raises(RuntimeError, match="broken"):
        run_demo(output=tmp_path / "demo")
    assert list(tmp_path.iterdir()) == []


def test_the_command_ends_with_what_to_type_next(kept, capsys, monkeypatch):
    folder, result = kept
    monkeypatch.setattr("lexalign.demo.run_demo", lambda *_, **__: result)
    assert exit_code("demo", "--output", folder) == 0
    assert capsys.readouterr().out.splitlines()[-3:] == [
        f"Written to {folder}; to look at it, type",
        f"  lexalign explore {folder}/induced",
        f"  lexalign report {folder}/induced --lexicon {folder}/test.tsv",
    ]
    assert exit_code("demo") == 0
    assert capsys.readouterr().out.splitlines()[-1].endswith("lexalign demo --output demo")
