"""The interface: known answers, its schema, and everything that is refused."""

import csv
import io
import json
from urllib.parse import quote

import jsonschema
import pytest
from starlette.requests import Request
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from lexalign.explore import answers, checks
from lexalign.explore.guard import HEADERS, allowed_hosts, is_loopback
from lexalign.explore.requests import LARGEST_DICTIONARY, LONGEST_QUERY, MOST_PAIRS
from lexalign.explore.schema import SCHEMA
from lexalign.explore.service import PAGES, STATIC, make_service
from lexalign.vectors import Lexicon
from tests.explore.samples import ODD_WORDS, spelled

WORD_ADDRESSES = ("/api/translate", "/api/neighbours", "/api/map")


def require_schema(response, address, method="get"):
    """The answer has the shape that the schema gives for its status."""
    described = SCHEMA["paths"][address][method]["responses"]
    assert str(response.status_code) in described, response.text
    schema = described[str(response.status_code)]["content"]["application/json"]["schema"]
    jsonschema.validate(
        response.json(),
        {**schema, "components": SCHEMA["components"]},
        jsonschema.Draft202012Validator,
    )
    for name, value in HEADERS.items():
        assert response.headers[name] == value


def ask(client, address, **parameters):
    """An answer that holds to the schema."""
    response = client.get(address, params=parameters)
    require_schema(response, address)
    return response


def test_about_says_what_is_explored(client):
    answer = ask(client, "/api/about").json()
    assert answer["method"] == "refine"
    assert answer["folder"] == "refined"
    assert answer["source"] == {"name": "one", "language": None, "words": 300}
    assert answer["path"]["kind"] == "descent"
    assert (answer["path"]["stops"][0], answer["path"]["stops"][-1]) == (0.0, 1.0)
    assert answer["scoring"] == "csls"
    assert answer["preparation"]["state"] == "done"


def test_a_translation_has_both_scores_before_and_after(client, space):
    answer = ask(client, "/api/translate", word="scaa", k=4).json()
    assert (answer["side"], answer["t"], answer["in_both"]) == ("source", 1.0, False)
    row = space.row("source", "scaa")
    assert answer["rank"] == row + 1
    for end, stop in (("before", 0), ("after", len(space.path) - 1)):
        found = space.survey("source", row, stop, 4).translations
        assert [entry["word"] for entry in answer[end]["translations"]] == [
            space.sides["target"].words[place] for place in found.rows
        ]
        assert [entry["csls"] for entry in answer[end]["translations"]] == pytest.approx(
            found.csls.tolist(), abs=1e-4
        )


def test_nothing_is_computed_for_a_reader_who_has_gone_on(client, monkeypatch):
    async def gone(request):
        return True

    monkeypatch.setattr(Request, "is_disconnected", gone)
    monkeypatch.setattr(answers, "_translations", lambda *_: pytest.fail("computed"))
    assert client.get("/api/translate", params={"word": "scaa"}).status_code == 499


def test_an_answer_says_whether_the_word_is_on_the_map(client, space, monkeypatch):
    monkeypatch.setattr("lexalign.explore.answers.WORDS", 5)
    words = space.sides["target"].words
    for address in ("/api/translate", "/api/neighbours", "/api/map"):
        found = [ask(client, address, word=word, side="target").json() for word in words[4:6]]
        assert [answer["on_map"] for answer in found] == [True, False]


def test_a_word_of_either_language_is_found(client):
    assert ask(client, "/api/translate", word="tcaa").json()["side"] == "target"
    assert ask(client, "/api/translate", word="both").json()["side"] == "source"
    both = ask(client, "/api/translate", word="both", side="target").json()
    assert (both["side"], both["in_both"]) == ("target", True)
    assert ask(client, "/api/neighbours", word="scaa", side="target").status_code == 404


@pytest.mark.parametrize("word", ODD_WORDS.values())
@pytest.mark.parametrize("address", WORD_ADDRESSES)
def test_odd_words_are_words(client, address, word):
    answer = ask(client, address, word=word)
    assert answer.status_code == 200
    assert answer.json()["word"] == word


def test_composed_decomposed_and_padded_words_are_found(client):
    assert ask(client, "/api/map", word="éte").json()["word"] == "e\u0301te"
    assert ask(client, "/api/map", word="nai\u0308ve").json()["word"] == "naïve"
    assert ask(client, "/api/map", word="  scaa ").json()["word"] == "scaa"


def test_the_stop_nearest_to_t_is_taken(client, space):
    for t in ("0", "0.0", "0.499", "1", "1.0", "1e-3"):
        stop = space.path.nearest(float(t))
        answer = ask(client, "/api/neighbours", word="scaa", t=t).json()
        assert answer["t"] == round(space.path.shares[stop], 5)


def test_the_map_has_the_word_and_neighbours_of_both(client):
    points = ask(client, "/api/map", word="scaa", k=5).json()["points"]
    assert [point["asked"] for point in points] == [True] + 10 * [False]
    assert [point["side"] for point in points].count("source") == 6


def test_words_are_completed(client):
    answer = ask(client, "/api/words", prefix="ZUR").json()
    assert [found["word"] for found in answer["words"]] == ["Zürich", "zürich", "ZÜRICH"]
    answer = ask(client, "/api/words", prefix="tc", side="target", k=2).json()
    assert answer["words"] == [
        {"word": "tcaa", "side": "target"},
        {"word": "tcea", "side": "target"},
    ]
    assert ask(client, "/api/words", prefix="bo").json()["words"] == [
        {"word": "both", "side": "source"},
        {"word": "both", "side": "target"},
    ]


def test_unknown_words_suggest_close_ones(client):
    answer = ask(client, "/api/translate", word="zurich")
    assert answer.status_code == 404
    error = answer.json()["error"]
    assert error["code"] == "unknown-word"
    assert error["message"] == "The word 'zurich' is not known; did you mean 'Zürich'?"
    assert {"word": "zürich", "side": "source"} in error["suggestions"]
    answer = ask(client, "/api/translate", word="qqqqq").json()["error"]
    assert answer["message"] == "The word 'qqqqq' is not known; check its spelling."


def checked(client, text, side="source", **selection):
    """The result of a check when it is done."""
    response = client.post("/api/check", json={"text": text, "side": side})
    require_schema(response, "/api/check", "post")
    number, answer = response.json()["id"], None
    while answer is None or answer["state"] == "running":
        answer = ask(client, "/api/check", id=number, k=100, **selection).json()
    assert (answer["state"], answer["share"]) == ("done", 1.0)
    return answer


def test_a_dictionary_is_checked(client, space):
    answer = checked(client, "scaa tcaa\nshaa thaa\nnobody tcaa\nlonely\n")
    assert [pair["line"] for pair in answer["pairs"]] == [1, 2, 3]
    assert answer["known"] == 2
    assert answer["after"]["questions"] == 2
    assert answer["pairs"][2]["missing"] == ["word"]
    assert answer["skipped"] == [{"line": 4, "problem": "expected 2 words, found 1"}]
    assert checked(client, "tcaa scaa", "target")["known"] == 1
    nothing = checked(client, "a b")
    assert (nothing["before"], nothing["after"]) == (None, None)


def test_parts_of_a_check_are_one_result(client, monkeypatch):
    """All pairs of a word count once, wherever they stand, and parts are as good as the whole."""
    ends = [spelled(row) for row in range(30, 36)]
    pairs = [f"s{end} t{end}" for end in ends] + [f"s{ends[0]} t{ends[5]}", "nobody tcaa"]
    whole = checked(client, "\n".join(pairs))
    monkeypatch.setattr(checks, "WORDS_AT_ONCE", 2)
    parts = checked(client, "\n".join(pairs))
    assert {**parts, "id": whole["id"]} | {"pairs": []} == whole | {"pairs": []}
    assert sorted(map(str, parts["pairs"])) == sorted(map(str, whole["pairs"]))
    assert whole["after"]["questions"] == 6
    assert [pair["line"] for pair in parts["pairs"]] == list(range(1, 9))


def test_a_check_is_sorted_shown_in_parts_and_saved(client):
    text = "scaa tgaa\nshaa thaa\nnobody tcaa\n"
    answer = checked(client, text, sort="after", order="descending")
    assert [pair["line"] for pair in answer["pairs"]] == [1, 2, 3]
    number = answer["id"]
    part = ask(client, "/api/check", id=number, sort="word", offset=1, k=1).json()
    assert [pair["word"] for pair in part["pairs"]] == ["scaa"]
    saved = client.get("/api/check/table", params={"id": number})
    lines = [line.split("\t") for line in saved.text.splitlines()]
    assert lines[0] == [
        "line", "word", "translation", "rank before", "rank after", "first before", "first after",
    ]  # fmt: skip
    assert lines[3] == ["3", "nobody", "tcaa", "", "", "", ""]
    assert lines[2][:5] == ["2", "shaa", "thaa", "1", "1"]


def test_no_cell_of_a_saved_check_is_a_formula(client):
    number = checked(client, '=scaa "taa\n@shaa thaa\n')["id"]
    saved = client.get("/api/check/table", params={"id": number})
    rows = list(csv.reader(io.StringIO(saved.text), delimiter="\t"))
    assert [row[1:3] for row in rows[1:]] == [["'=scaa", '"taa'], ["'@shaa", "thaa"]]


def test_a_check_that_breaks_does_not_run_for_ever(space, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("a mistake of ours")

    monkeypatch.setattr(checks, "check", broken)
    work = checks.RunningCheck("source", Lexicon([("scaa", "tcaa")], lines=(1,)))
    with pytest.raises(RuntimeError, match="a mistake of ours"):
        checks._work(work, space)
    assert (work.state, work.message) == (
        "failed", "The check failed; see the terminal for the reason.",
    )  # fmt: skip


def test_old_checks_are_forgotten(client):
    first = checked(client, "scaa tcaa")["id"]
    for _ in range(checks.KEPT):
        checked(client, "scaa tcaa")
    answer = ask(client, "/api/check", id=first)
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "no-check")


def test_a_word_in_another_case_is_found(client):
    assert ask(client, "/api/translate", word="SCAA").json()["word"] == "scaa"
    assert ask(client, "/api/translate", word="NAÏVE").json()["word"] == "naïve"


def test_a_word_of_the_other_language_is_named(client):
    answer = ask(client, "/api/translate", word="TCAA", side="source")
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (404, "other-language")
    assert error["suggestions"] == [{"word": "tcaa", "side": "target"}]


def test_two_runs_are_asked_by_their_number(explorer):
    service = make_service([explorer, explorer], allowed_hosts("127.0.0.1"))
    with TestClient(service, base_url="http://127.0.0.1:8765") as client:
        assert ask(client, "/api/about").json()["runs"] == 2
        assert ask(client, "/api/translate", word="scaa", run=2).json()["word"] == "scaa"
        for run in ("0", "3", "x"):
            answer = ask(client, "/api/translate", word="scaa", run=run)
            assert answer.json()["error"]["code"] == "bad-run"


def test_an_unknown_page_is_answered_by_a_page(client):
    answer = client.get("/nothing", headers={"accept": "text/html,*/*"})
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/html")
    assert "There is no page at this address" in answer.text


@pytest.mark.parametrize(
    ("parameters", "code"),
    [
        ({}, "empty"),
        ({"word": ""}, "empty"),
        ({"word": "  "}, "empty"),
        ({"word": "x" * 201}, "too-long"),
        ({"word": "a\0b"}, "not-text"),
        ({"word": "scaa", "k": "0"}, "bad-k"),
        ({"word": "scaa", "k": "101"}, "bad-k"),
        ({"word": "scaa", "k": "-1"}, "bad-k"),
        ({"word": "scaa", "k": "1.5"}, "bad-k"),
        ({"word": "scaa", "k": "٣"}, "bad-k"),
        ({"word": "scaa", "k": ""}, "bad-k"),
        ({"word": "scaa", "k": "9" * 3000}, "bad-k"),
        ({"word": "scaa", "t": "2"}, "bad-t"),
        ({"word": "scaa", "t": "-0.1"}, "bad-t"),
        ({"word": "scaa", "t": "nan"}, "bad-t"),
        ({"word": "scaa", "t": "inf"}, "bad-t"),
        ({"word": "scaa", "t": "0x1"}, "bad-t"),
        ({"word": "scaa", "t": "1_0"}, "bad-t"),
        ({"word": "scaa", "t": "."}, "bad-t"),
        ({"word": "scaa", "side": "both"}, "bad-side"),
        ({"word": "scaa", "side": ""}, "bad-side"),
        ({"word": "scaa", "extra": "1"}, "unknown-parameter"),
        ({"word": ["scaa", "shaa"]}, "repeated-parameter"),
    ],
)
@pytest.mark.parametrize("address", WORD_ADDRESSES)
def test_what_makes_no_sense_gets_one_sentence(client, address, parameters, code):
    response = ask(client, address, **parameters)
    assert response.status_code == 400
    error = response.json()["error"]
    assert error["code"] == code
    assert error["message"].endswith(".")
    assert "\n" not in error["message"]
    assert len(error["message"]) < 300


def test_the_map_shows_fewer_points_than_a_list_has_words(client):
    assert ask(client, "/api/map", word="scaa", k=31).status_code == 400
    assert ask(client, "/api/translate", word="scaa", k=31).status_code == 200


def test_addresses_have_an_end(client):
    response = client.get(f"/api/translate?word={'x' * LONGEST_QUERY}")
    require_schema(response, "/api/translate")
    assert response.status_code == 414


def test_bytes_that_are_no_text_are_no_word(client):
    for raw in ("%ff%fe", "%ed%a0%80", "%c0%af"):
        response = client.get(f"/api/translate?word={raw}")
        require_schema(response, "/api/translate")
        assert response.status_code == 404


@pytest.mark.parametrize(
    ("content", "status", "code"),
    [
        (b"", 400, "bad-json"),
        (b"{", 400, "bad-json"),
        (b"\xff", 400, "bad-json"),
        (b"[" * 30_000, 400, "bad-json"),
        (b"9" * 5_000, 400, "bad-json"),
        (b"[]", 400, "bad-body"),
        (b"NaN", 400, "bad-body"),
        (b"{}", 400, "bad-body"),
        (b'{"text": 3}', 400, "bad-body"),
        (b'{"text": "a b", "side": 1}', 400, "bad-body"),
        (b'{"text": "a b", "more": 1}', 400, "bad-body"),
        (b'{"text": "a b", "side": "up"}', 400, "bad-side"),
        (b'{"text": ""}', 400, "empty"),
        (b'{"text": "\\n \\n"}', 400, "empty"),
        (b'{"text": "a \\ud800"}', 400, "not-text"),
        (b'{"text": "a \\u0000"}', 400, "not-text"),
        (json.dumps({"text": "a b\n" * (MOST_PAIRS + 1)}).encode(), 413, "too-many-pairs"),
        (b'{"text": "' + b"x" * LARGEST_DICTIONARY + b'"}', 413, "too-large"),
    ],
)
def test_bodies_that_make_no_sense_get_one_sentence(client, content, status, code):
    headers = {"content-type": "application/json"}
    response = client.post("/api/check", content=content, headers=headers)
    require_schema(response, "/api/check", "post")
    assert response.status_code == status
    assert response.json()["error"]["code"] == code


@pytest.mark.parametrize("kind", [None, "text/plain", "application/x-www-form-urlencoded"])
def test_a_form_of_another_page_cannot_post(client, kind):
    headers = {} if kind is None else {"content-type": kind}
    response = client.post("/api/check", content=b'{"text": "a b"}', headers=headers)
    require_schema(response, "/api/check", "post")
    assert response.status_code == 415


@pytest.mark.parametrize(
    "path",
    [
        "/../run.json",
        "/..%2frun.json",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/static/../../run_folder.py",
        "/static/shell.html",
        "/run.json",
        "/source.vec",
        "/.explore/key.json",
        "//etc/passwd",
        "/etc/passwd",
        "/explore.js/",
        "/explore.js%00",
        "/look-up.html",
        "/shell.html",
        "/api",
        "/api/",
        "/api/translate/",
        "/file:///etc/passwd",
        "/\\..\\run.json",
        "/" + "a" * 3000,
    ],
)
def test_nothing_else_is_served(client, path):
    response = client.get(f"http://127.0.0.1:8765{path}")
    assert response.status_code == 404
    assert response.json()["error"]["code"] == "not-found"


@pytest.mark.parametrize("word", ["../../etc/passwd", "/etc/passwd", "file:///etc/passwd", "%00"])
def test_words_are_never_names_of_files(client, word):
    for address in WORD_ADDRESSES:
        response = client.get(f"{address}?word={quote(word)}")
        require_schema(response, address)
        assert response.status_code in (400, 404)
        assert "root:" not in response.text


def test_the_page_comes_with_its_parts_and_nothing_from_elsewhere(client):
    kinds = {address: kind for address, (_, kind) in STATIC.items()}
    for address, kind in {**kinds, **dict.fromkeys(PAGES, "text/html")}.items():
        response = client.get(address)
        assert response.status_code == 200
        assert response.headers["content-type"].startswith(kind)
        assert response.headers["content-security-policy"].startswith("default-src 'none'")
        assert response.headers["x-content-type-options"] == "nosniff"
        assert b"https://" not in response.content
        assert b"http://" not in response.content.replace(b"http://www.w3.org/", b"")
    for address in PAGES:
        page = client.get(address).text
        assert "<style" not in page
        assert "style=" not in page
        assert "onclick" not in page
        assert "$" not in page


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"])
@pytest.mark.parametrize("address", ["/", "/api/about", "/api/translate"])
def test_other_methods_are_refused(client, method, address):
    response = client.request(method, address)
    assert response.status_code == 405
    assert response.json()["error"]["code"] == "bad-method"
    assert client.get("/api/review").status_code == 405


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1", 200),
        ("127.0.0.1:8765", 200),
        ("localhost:8765", 200),
        ("LOCALHOST", 200),
        ("[::1]:8765", 200),
        ("evil.example", 421),
        ("evil.example:8765", 421),
        ("127.0.0.1.evil.example", 421),
        ("localhost.evil.example:8765", 421),
        ("127.0.0.1:8765@evil.example", 421),
        ("10.0.0.7", 421),
        ("[::1", 421),
        ("", 421),
        (":8765", 421),
        ("localhost:99999999", 421),
        ("127.0.0.1, evil.example", 421),
        ("\xff", 421),
    ],
)
def test_only_its_own_names_are_answered(client, host, status):
    response = client.get("/api/about", headers={"host": host.encode("latin-1")})
    assert response.status_code == status
    if status == 421:
        assert response.json()["error"]["code"] == "bad-host"
        assert response.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://127.0.0.1:8765", 200),
        ("http://evil.example", 403),
        ("http://127.0.0.1:9999", 403),
        ("null", 403),
        ("http://127.0.0.1:8765.evil.example", 403),
    ],
)
def test_pages_of_others_are_not_answered(client, origin, status):
    for response in (
        client.get("/api/about", headers={"origin": origin}),
        client.post("/api/check", json={"text": "a b"}, headers={"origin": origin}),
    ):
        assert response.status_code == status
        assert "access-control-allow-origin" not in response.headers


def test_strange_headers_change_nothing(client):
    wanted = client.get("/api/about").json()
    for headers in (
        {"x-forwarded-host": "evil.example", "x-forwarded-for": "1.2.3.4"},
        {"x-original-url": "/../../etc/passwd", "x-rewrite-url": "/etc/passwd"},
        {"range": "bytes=0-1"},
        {"if-none-match": "*"},
        {"transfer-encoding": "identity"},
        {"accept": "text/html", "accept-encoding": "gzip;q=1000"},
        {"cookie": "a=" + "b" * 4000},
    ):
        response = client.get("/api/about", headers=headers)
        assert response.status_code == 200
        assert response.json() == wanted


def test_whom_a_server_answers_to():
    assert allowed_hosts("127.0.0.1") == ("localhost", "127.0.0.1", "[::1]", "127.0.0.1")
    assert "[fe80::1]" in allowed_hosts("fe80::1")
    assert "box.lan" in allowed_hosts("Box.lan")
    assert "*" in allowed_hosts("0.0.0.0")
    assert "*" in allowed_hosts("::")
    assert [is_loopback(host) for host in ("127.0.0.1", "127.9.9.9", "::1", "localhost")] == 4 * [
        True
    ]
    assert [is_loopback(host) for host in ("0.0.0.0", "::", "10.0.0.7", "box.lan")] == 4 * [False]


def test_a_server_on_all_addresses_answers_to_addresses_but_not_to_names(explorer):
    service = make_service([explorer], allowed_hosts("0.0.0.0"))
    with TestClient(service, base_url="http://10.1.2.3:8765") as client:
        assert client.get("/api/about").status_code == 200
        for host, status in (("[fe80::7]:80", 200), ("evil.example", 421), ("1.2.3", 421)):
            assert client.get("/api/about", headers={"host": host}).status_code == status


def test_the_schema_describes_everything(client):
    answer = client.get("/api/schema").json()
    assert answer == json.loads(json.dumps(SCHEMA))
    assert answer["openapi"] == "3.1.0"
    for name, schema in answer["components"]["schemas"].items():
        jsonschema.Draft202012Validator.check_schema(schema)
        assert name[0].isupper()


def test_a_failure_is_json_without_details(explorer, monkeypatch):
    def fail():
        raise ValueError("the secret is 42")

    with monkeypatch.context() as patch:
        patch.setattr(explorer, "view", fail)
        service = make_service([explorer], allowed_hosts("127.0.0.1"))
        with TestClient(
            service, base_url="http://127.0.0.1", raise_server_exceptions=False
        ) as client:
            response = client.get("/api/about")
    assert response.status_code == 500
    assert response.json()["error"]["code"] == "failed"
    assert "42" not in response.text


def test_websockets_are_closed(client):
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/api/about"):
        pass
