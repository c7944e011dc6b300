"""The dictionary as a table: sorted, filtered, reviewed, and exported."""

import shlex
from contextlib import ExitStack

import numpy as np
import pytest
from starlette.testclient import TestClient

from lexalign.explore.guard import allowed_hosts
from lexalign.explore.run_dictionary import RunDictionary, Selection
from lexalign.explore.service import make_service
from lexalign.induction.dictionary import Dictionary
from lexalign.runs import LAYOUT, Run
from lexalign.vectors import Embeddings, Lexicon
from tests.explore.conftest import HOST
from tests.explore.samples import induced_run, opened
from tests.explore.test_service import require_schema


@pytest.fixture
def table():
    """Three words, the second more frequent than the first."""
    dictionary = Dictionary(
        ("dog", "dog", "cat", "Äpfel"),
        ("hund", "tier", "katze", "apfel"),
        np.array([0.9, 0.3, 0.5, 0.1]),
        np.array([1, 2, 1, 1]),
    )
    source = Embeddings(["cat", "dog", "Äpfel"], np.eye(3, dtype=np.float32))
    target = Embeddings(["tier", "katze", "apfel", "hund"], np.eye(4, 3, dtype=np.float32) + 1)
    return RunDictionary(dictionary, source, target, np.array([1, 0, 2]))


def words(table, verdicts=None, **selection):
    total, entries = table.select(Selection(**selection), verdicts or {}, 0, 10)
    assert total == len(entries)
    return [entry.word for entry in entries]


@pytest.mark.parametrize(
    ("selection", "found"),
    [
        ({}, ["cat", "dog", "Äpfel"]),
        ({"descending": True}, ["Äpfel", "dog", "cat"]),
        ({"sort": "probability"}, ["Äpfel", "cat", "dog"]),
        ({"sort": "word"}, ["Äpfel", "cat", "dog"]),
        ({"sort": "translation"}, ["Äpfel", "dog", "cat"]),
        ({"text": "APFEL"}, ["Äpfel"]),
        ({"text": "katz"}, ["cat"]),
        ({"low": 0.4, "high": 0.8}, ["cat"]),
        ({"state": "unsure"}, ["cat"]),
        ({"state": "changed"}, ["dog"]),
        ({"state": "accepted"}, []),
    ],
)
def test_entries_are_sorted_and_filtered(table, selection, found):
    assert words(table, **selection) == found


def test_some_entries_at_a_time(table):
    total, entries = table.select(Selection(), {}, 1, 1)
    assert (total, [entry.word for entry in entries]) == (3, ["dog"])


@pytest.mark.parametrize(
    ("verdicts", "state"),
    [
        ({}, "open"),
        ({("dog", "hund"): "right"}, "accepted"),
        ({("dog", "hund"): "wrong"}, "rejected"),
        ({("dog", "hund"): "wrong", ("dog", "tier"): "right"}, "corrected"),
        ({("dog", "tier"): "right", ("dog", "hund"): "wrong"}, "corrected"),
        ({("dog", "tier"): "right", ("dog", "hund"): "right"}, "accepted"),
        ({("dog", "tier"): "wrong"}, "open"),
        ({("dog", "köter"): "right"}, "corrected"),
        ({("fox", "hund"): "right"}, "open"),
    ],
)
def test_the_state_of_a_word_follows_from_the_verdicts(table, verdicts, state):
    (entry,) = table.entries(["dog"], verdicts)
    assert entry.state == state
    assert table.progress(verdicts)[state] >= 1
    assert sum(table.progress(verdicts).values()) == 3


def test_translations_that_a_reader_adds_are_listed_without_probability(table):
    (entry,) = table.entries(["dog"], {("dog", "köter"): "right"})
    assert [tuple(one) for one in entry.translations] == [
        ("hund", 0.9, None),
        ("tier", 0.3, None),
        ("köter", None, "right"),
    ]
    assert entry.csls == "tier"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return induced_run(tmp_path_factory.mktemp("workbench"))


@pytest.fixture
def client(run):
    (run / LAYOUT.review).unlink(missing_ok=True)
    with ExitStack() as stack:
        explorer = opened(stack, run)
        service = make_service([explorer], allowed_hosts(HOST))
        yield stack.enter_context(TestClient(service, base_url=f"http://{HOST}:8765"))


def browse(client, **parameters):
    response = client.get("/api/dictionary", params=parameters)
    require_schema(response, "/api/dictionary")
    return response.json()


def decide(client, *changes):
    response = client.post("/api/review", json={"changes": list(changes)})
    require_schema(response, "/api/review", "post")
    return response


def test_the_dictionary_of_the_run_is_shown(client, run):
    induced = Run.open(run).dictionary
    answer = browse(client, k=3)
    assert answer["total"] == len(set(induced.source))
    first = answer["entries"][0]
    known = induced.translate(first["word"])
    assert [(one["word"], one["probability"]) for one in first["translations"]] == [
        (word, pytest.approx(chance)) for word, chance in known
    ]
    assert answer["compared"] is True
    about = client.get("/api/about").json()
    files = [Run.open(run).record["inputs"][side]["path"] for side in ("source", "target")]
    assert about["dictionary"]["command"].startswith(f"lexalign induce {shlex.join(files)} ")
    assert "--lexicon reviewed.tsv" in about["dictionary"]["command"]


def test_csls_is_compared_with(client, run):
    answer = browse(client, state="changed", k=100)
    assert 0 < answer["total"] < 400
    for entry in answer["entries"]:
        by_csls = client.get("/api/translate", params={"word": entry["word"], "side": "source"})
        assert entry["csls"] == by_csls.json()["before"]["translations"][0]["word"]
        assert entry["csls"] != entry["translations"][0]["word"]


def test_decisions_are_kept_in_the_run_and_exported(client, run):
    entry = browse(client, k=1)["entries"][0]
    word, first = entry["word"], entry["translations"][0]["word"]
    answer = decide(
        client,
        {"source": word, "target": first, "verdict": "wrong"},
        {"source": word, "target": "köter", "verdict": "right"},
    ).json()
    assert answer["entries"][0]["state"] == "corrected"
    assert answer["progress"]["corrected"] == 1
    assert (run / LAYOUT.review).read_text(encoding="utf-8").count("\n") == 3
    seeds = client.get("/api/review/seeds", params={"old": "no"})
    assert seeds.text == f"{word}\tköter\n"
    assert "attachment" in seeds.headers["content-disposition"]
    whole = Lexicon.parse(client.get("/api/review/seeds").text).pairs
    assert set(Run.open(run).seeds.pairs) - {(word, first)} | {(word, "köter")} == set(whole)


def test_somebody_elses_decision_is_a_conflict(client):
    entry = browse(client, k=1)["entries"][0]
    change = {"source": entry["word"], "target": entry["translations"][0]["word"]}
    assert decide(client, {**change, "verdict": "right"}).status_code == 200
    answer = decide(client, {**change, "verdict": "wrong", "seen": None})
    assert answer.status_code == 409
    assert answer.json()["error"]["code"] == "conflict"
    assert decide(client, {**change, "verdict": "wrong", "seen": "right"}).status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"changes": []},
        {"changes": [{"source": "a"}]},
        {"changes": [{"source": "a", "target": "b", "verdict": "maybe"}]},
        {"changes": [{"source": "a", "target": 3, "verdict": None}]},
        {"changes": [{"source": "a", "target": "b\tc", "verdict": "right"}]},
        {"changes": [{"source": "a", "target": "b", "verdict": None, "more": 1}]},
        {"changes": [], "more": 1},
        [],
    ],
)
def test_bad_decisions_are_refused(client, body):
    response = client.post("/api/review", json=body)
    assert response.status_code == 400
    require_schema(response, "/api/review", "post")


def test_a_damaged_review_is_one_sentence_and_is_kept(client, run):
    (run / LAYOUT.review).write_text("source\ttarget\tverdict\nbad\n", encoding="utf-8")
    change = {"source": "a", "target": "b", "verdict": "right"}
    answers = [
        client.get("/api/dictionary"),
        client.get("/api/review/seeds"),
        client.post("/api/review", json={"changes": [change]}),
    ]
    for answer in answers:
        assert answer.status_code == 400
        assert "review.tsv, line 2: expected" in answer.json()["error"]["message"]
    assert (run / LAYOUT.review).read_text(encoding="utf-8").endswith("\nbad\n")


@pytest.mark.parametrize(
    "parameters",
    [{"sort": "x"}, {"state": "x"}, {"low": "2"}, {"offset": "-1"}, {"k": "0"}, {"order": "up"}],
)
def test_bad_selections_are_refused(client, parameters):
    response = client.get("/api/dictionary", params=parameters)
    assert response.status_code == 400
    require_schema(response, "/api/dictionary")


def test_reasons_stand_beside_translations(client):
    entry = browse(client, k=1)["entries"][0]
    answer = client.get("/api/translate", params={"word": entry["word"], "side": "source"}).json()
    assert any("by CSLS" in why for why in answer["after"]["translations"][0]["reasons"])


def test_runs_without_a_dictionary_say_so(explorer):
    service = make_service([explorer], allowed_hosts(HOST))
    with TestClient(service, base_url=f"http://{HOST}:8765") as client:
        for response in (
            client.get("/api/dictionary"),
            client.get("/api/review/seeds"),
            client.post(
                "/api/review", json={"changes": [{"source": "a", "target": "b", "verdict": None}]}
            ),
        ):
            assert response.status_code == 404
            assert response.json()["error"]["code"] == "no-dictionary"
