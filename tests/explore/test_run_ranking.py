"""Translations by the learned ranking of a run: on the page's interface, and what they cost."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import numpy as np
import pytest
from starlette.testclient import TestClient

from lexalign import Lexicon, Run
from lexalign.errors import InputError
from lexalign.evaluation import PROTOCOLS
from lexalign.explore import dictionary_check
from lexalign.explore.explorer import open_explorer
from lexalign.explore.guard import allowed_hosts
from lexalign.explore.run_ranking import load_run_ranking
from lexalign.explore.service import make_service
from lexalign.induction.features import Evidence
from lexalign.pipelines.evaluate import evaluate_files
from lexalign.pipelines.translate import TranslationRequest, translate_files
from lexalign.runs import aligned_pairs
from tests.explore.conftest import HOST
from tests.explore.samples import induced_run, opened
from tests.explore.test_service import ask
from tests.explore.test_service import checked as service_checked


@pytest.fixture(scope="module")
def induced(tmp_path_factory):
    """The folder of an induction; not to be changed."""
    return induced_run(tmp_path_factory.mktemp("induced"))


@contextmanager
def served(folder, **options):
    """A client of the service over a run, all prepared."""
    with ExitStack() as stack:
        explorer = opened(stack, folder, **options)
        service = make_service([explorer], allowed_hosts(HOST))
        address = f"http://{HOST}:8765"
        yield stack.enter_context(TestClient(service, base_url=address))


@pytest.fixture(scope="module")
def client(induced):
    with served(induced) as client:
        yield client


@pytest.fixture
def space(induced):
    with ExitStack() as stack:
        yield opened(stack, induced).view().space


def translated(folder, words, direction):
    """What ``lexalign translate`` says, and its probabilities."""
    (pair,) = aligned_pairs([folder])
    request = TranslationRequest(words=words, direction=direction, k=10)
    return {
        entry.word: [(one.word, one.score) for one in entry.translations]
        for entry in translate_files(pair, request).entries
    }


def after(answer, *names):
    return [tuple(entry[name] for name in names) for entry in answer["after"]["translations"]]


@pytest.mark.parametrize(("side", "direction"), [("source", "forward"), ("target", "backward")])
def test_translations_are_those_of_translate(client, induced, space, side, direction):
    words = space.sides[side].words[40:400:60]
    wanted = translated(induced, words, direction)
    for word in words:
        answer = ask(client, "/api/translate", word=word, side=side).json()
        assert answer["scoring"] == "learned"
        assert [one for (one,) in after(answer, "word")] == [one for one, _ in wanted[word]]
        chances = [chance for (chance,) in after(answer, "probability")]
        np.testing.assert_allclose(chances, [chance for _, chance in wanted[word]], atol=1e-3)
        assert chances == sorted(chances, reverse=True)


def test_csls_and_cosine_stay_and_csls_stands_beside(client, space):
    changed = 0
    for row in range(0, 400, 20):
        answer = ask(client, "/api/translate", word=space.sides["source"].words[row]).json()
        found = space.survey("source", row, 0, 10).translations
        before = answer["before"]["translations"]
        assert [entry["csls"] for entry in before] == pytest.approx(found.csls.tolist(), abs=1e-4)
        assert all("probability" not in entry for entry in before)
        scores = {entry["word"]: (entry["csls"], entry["cosine"]) for entry in before}
        for word, csls, cosine in after(answer, "word", "csls", "cosine"):
            assert (csls, cosine) == pytest.approx(scores.get(word, (csls, cosine)), abs=2e-4)
        changed += before[0]["word"] != answer["after"]["translations"][0]["word"]
    assert changed > 0


def test_all_candidates_can_be_had_each_once(client, space):
    word = space.sides["source"].words[3]
    found = [
        one for (one,) in after(ask(client, "/api/translate", word=word, k=100).json(), "word")
    ]
    assert 10 < len(found) == len(set(found)) <= 100


def test_about_names_the_ranking_and_plans_no_refinement(client):
    about = ask(client, "/api/about").json()
    assert (about["ranking"], about["scoring"], about["method"]) == ("ready", "learned", "induce")
    assert about["path"] == {"kind": "none", "stops": [0.0]}
    assert about["preparation"]["state"] == "done"


def test_other_runs_have_neither_ranking_nor_probability(refined, induced):
    for folder, options in ((refined, {}), (induced, {"ranking": "csls"})):
        with served(folder, **options) as client:
            about = ask(client, "/api/about").json()
            assert "ranking" not in about
            assert about["path"]["kind"] == "descent"
            answer = ask(client, "/api/translate", word=about["examples"][0]).json()
            assert answer["scoring"] == "csls"
            assert all("probability" not in entry for entry in answer["after"]["translations"])
    with pytest.raises(InputError, match="there is no learned ranking"):
        open_explorer(refined, ranking="learned").__enter__()


def test_a_direction_that_was_not_learned_is_ordered_by_csls(tmp_path):
    with served(induced_run(tmp_path, both_directions=False)) as client:
        run = Run.open(tmp_path / "induced")
        answer = ask(client, "/api/translate", word=run.target.words[5], side="target").json()
        assert answer["scoring"] == "csls"
        assert answer["after"] == answer["before"]
        answer = ask(client, "/api/translate", word=run.source.words[5]).json()
        assert answer["scoring"] == "learned"


def test_where_csls_orders_the_candidates_it_says_so(tmp_path):
    with served(induced_run(tmp_path, ranking="csls")) as client:
        word = Run.open(tmp_path / "induced").source.words[5]
        answer = ask(client, "/api/translate", word=word, k=100).json()
        assert answer["scoring"] == "csls"
        names = ("word", "cosine", "csls")
        before = [
            tuple(entry[name] for name in names) for entry in answer["before"]["translations"]
        ]
        assert after(answer, *names) == before
        chances = [chance for (chance,) in after(answer, "probability")]
        assert None not in chances[:10]
        assert None in chances[50:]


def test_words_that_the_ranking_does_not_know_are_ordered_by_csls(tmp_path):
    """The files have 400 words, and the ranking was learned with the first 360."""
    folder = induced_run(tmp_path, vocabulary=360)
    words = Run.open(folder).source.words
    with served(folder) as client:
        scoring = [
            ask(client, "/api/translate", word=words[row]).json()["scoring"] for row in (359, 360)
        ]
        assert scoring == ["learned", "csls"]
        assert checked(client, [(words[360], words[360])])["scoring"] == "csls"


def test_too_few_words_are_a_sentence_and_csls_answers(induced, tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(induced, folder, ignore=shutil.ignore_patterns(".explore"))
    with served(folder, limit=300) as client:
        about = ask(client, "/api/about").json()
        assert (about["ranking"], about["scoring"]) == ("failed", "csls")
        assert about["preparation"]["state"] == "failed"
        assert "start the explorer with --limit 400." in about["preparation"]["message"]
        answer = ask(client, "/api/translate", word=about["examples"][0]).json()
        assert answer["after"] == answer["before"]


@pytest.mark.parametrize("name", ["views.safetensors", "ranking.json", "forward.0.txt"])
def test_a_damaged_ranking_is_a_sentence_and_csls_answers(induced, tmp_path, name):
    folder = tmp_path / "copy"
    shutil.copytree(induced, folder)
    (folder / "ranking" / name).write_text("{", encoding="utf-8")
    with served(folder) as client:
        about = ask(client, "/api/about").json()
        assert (about["ranking"], about["scoring"]) == ("failed", "csls")
        assert "repeat the induction" in about["preparation"]["message"]
        assert ask(client, "/api/translate", word=about["examples"][0]).status_code == 200


def test_the_view_gets_better_when_the_ranking_is_there(induced):
    with open_explorer(induced) as explorer:
        explorer.wait_for_ranking()
        view = explorer.view()
        assert view.space.ranking is not None
        assert explorer.ranking_state == "ready"
        assert explorer.view().revision == view.revision


def test_several_threads_get_the_same_answers(induced):
    run = Run.open(induced)
    one, other = (load_run_ranking(run, run.source, run.target) for _ in range(2))
    rows = [row for row in range(0, 400, 8) for _ in range(2)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda row: one.word("source", row).best, rows))
    for row, ranked in zip(rows, found, strict=True):
        alone = other.word("source", row).best
        np.testing.assert_array_equal(ranked.keys, alone.keys)
        np.testing.assert_allclose(ranked.probabilities, alone.probabilities, atol=1e-9)


def test_a_word_is_ranked_once(induced, monkeypatch):
    run = Run.open(induced)
    ranking = load_run_ranking(run, run.source, run.target)
    first = ranking.word("source", 7)
    monkeypatch.setattr(ranking, "_ranked", lambda *_: pytest.fail("ranked again"))
    monkeypatch.setattr(Evidence, "features", lambda *_: pytest.fail("features computed again"))
    assert ranking.word("source", 7) is first
    assert ranking.reasons("source", first, first.best.keys[:3])


def checked(client, pairs, side="source"):
    return service_checked(client, "\n".join(f"{one}\t{other}" for one, other in pairs), side)


def test_a_dictionary_is_checked_by_the_learned_ranking(client, induced):
    path = induced.parent / "test.tsv"
    pairs = list(Lexicon.read(path))
    answer = checked(client, pairs)
    wanted, _ = evaluate_files(aligned_pairs([induced]), [path], PROTOCOLS["muse"], ranking="auto")
    assert answer["scoring"] == "learned"
    for name, one in zip(("before", "after"), wanted, strict=True):
        assert answer[name]["precision_at_1"] == pytest.approx(one.result.precision(1), abs=1e-4)
        assert answer[name]["mean_reciprocal_rank"] == pytest.approx(one.result.mrr, abs=1e-4)
        ranks = [pair[f"rank_{name}"] for pair in answer["pairs"]]
        assert ranks == one.result.ranks.tolist()
    for pair in answer["pairs"]:
        assert (pair["rank_after"] == 1) == (pair["first_after"] == pair["reference"])
    saved = client.get("/api/check/table", params={"id": answer["id"]}).text
    assert saved.splitlines()[0].split("\t")[3:] == [
        "rank by CSLS", "rank by the learned ranking", "first by CSLS",
        "first by the learned ranking",
    ]  # fmt: skip
    back = checked(client, [(other, one) for one, other in pairs[:20]], side="target")
    assert back["scoring"] == "learned"


def test_a_large_dictionary_is_checked_by_csls(client, induced, monkeypatch):
    pairs = list(Lexicon.read(induced.parent / "test.tsv"))
    monkeypatch.setattr(dictionary_check, "MOST_RANKED", 10 * 400)
    assert checked(client, pairs[:10])["scoring"] == "learned"
    answer = checked(client, pairs[:11])
    assert answer["scoring"] == "csls"
    assert answer["before"] == answer["after"]
