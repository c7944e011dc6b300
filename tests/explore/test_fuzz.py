"""Anything at all may be asked: the answer is JSON of the shape of the schema, and never a failure.

Lone surrogates cannot be put into an address, so bytes are.
"""

from urllib.parse import quote_from_bytes

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.explore.samples import ODD_WORDS
from tests.explore.test_service import require_schema

quietly = settings(
    max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
known = st.sampled_from([*ODD_WORDS.values(), "scaa", "tcaa", "both"]).map(str.encode)
raw = st.one_of(
    known,
    st.text(max_size=30).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.binary(max_size=300),
    st.integers().map(lambda number: str(number).encode()),
    st.floats().map(lambda number: str(number).encode()),
    st.sampled_from([b"source", b"target", b"0.5", b"1", b"100", b"\0", b"\xed\xa0\x80", b"'\"<>"]),
)
names = st.one_of(st.sampled_from([b"word", b"side", b"t", b"k", b"prefix"]), st.binary(max_size=8))
addresses = st.sampled_from(
    ["/api/about", "/api/words", "/api/translate", "/api/neighbours", "/api/map"]
)


def as_query(items):
    """An address of any bytes."""
    return "&".join(f"{quote_from_bytes(name)}={quote_from_bytes(value)}" for name, value in items)


@quietly
@given(address=addresses, items=st.lists(st.tuples(names, raw), max_size=6))
def test_any_query(client, address, items):
    response = client.get(f"{address}?{as_query(items)}")
    assert response.status_code < 500
    require_schema(response, address)


@quietly
@given(
    address=st.sampled_from(["/api/translate", "/api/neighbours", "/api/map"]),
    word=known,
    t=st.floats(0, 1).map(lambda t: f"{t:.6f}".encode()),
    k=st.integers(1, 30).map(lambda k: str(k).encode()),
)
def test_any_sensible_query_is_answered(client, address, word, t, k):
    items = [(b"word", word), (b"t", t), (b"k", k)]
    response = client.get(f"{address}?{as_query(items)}")
    assert response.status_code == 200
    require_schema(response, address)


@quietly
@given(path=st.binary(max_size=60))
def test_any_path(client, path):
    response = client.get(f"/{quote_from_bytes(path)}")
    assert response.status_code in (200, 404, 405)


@quietly
@given(content=st.binary(max_size=400))
def test_any_body(client, content):
    headers = {"content-type": "application/json"}
    response = client.post("/api/check", content=content, headers=headers)
    assert response.status_code < 500
    require_schema(response, "/api/check", "post")


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=8,
)


@quietly
@given(
    content=st.one_of(
        json_values,
        st.fixed_dictionaries(
            {"text": st.one_of(json_values, st.text(max_size=200))},
            optional={"side": st.one_of(json_values, st.sampled_from(["source", "target"]))},
        ),
    )
)
def test_any_json(client, content):
    import json

    body = json.dumps(content).encode()
    headers = {"content-type": "application/json; charset=utf-8"}
    response = client.post("/api/check", content=body, headers=headers)
    assert response.status_code < 500
    require_schema(response, "/api/check", "post")


@quietly
@given(host=st.binary(max_size=40).filter(lambda host: not set(host) & set(b"\r\n\0")))
def test_any_host(client, host):
    response = client.get("/api/about", headers={"host": host})
    assert response.status_code in (200, 421)
    assert response.status_code == 421 or host.lower().startswith((b"localhost", b"127", b"[::1"))
