"""The command as a real process: it starts, says where, prepares, answers, and ends cleanly."""

import errno
import os
import shutil
import signal
import socket
import subprocess
import sys
import time

import numpy as np
import pytest

from lexalign.explore.cache import NAME
from lexalign.explore.explorer import open_explorer
from lexalign.explore.preparation import Preparation
from lexalign.explore.server import PORT, address_of, listening
from lexalign.vectors import Embeddings, read, write
from tests.cli.test_commands import run
from tests.explore.processes import PROGRAM, running
from tests.explore.samples import refined_run
from tests.running_programs import running_programs


def copied(folder, tmp_path):
    """A copy for which nothing is prepared."""
    shutil.copytree(folder, tmp_path / "copy", ignore=shutil.ignore_patterns(NAME))
    return tmp_path / "copy"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_answers_prepares_and_ends_with_code_0(aligned, tmp_path, number):
    folder = copied(aligned, tmp_path)
    with running(folder, "--names", "English", "German") as server:
        about = server.get("/api/about")
        assert about["source"]["name"] == "English"
        first = server.get("/api/translate?word=scaa")
        assert first["before"]["translations"]
        about = server.wait_until_prepared()
        assert (about["scoring"], about["path"]["kind"]) == ("csls", "descent")
        assert about["revision"] > 0
        later = server.get("/api/translate?word=scaa&t=0.5")
        assert later["before"]["translations"][0]["csls"] is not None
        code, _, err = server.stopped_by(number)
    assert code == 0
    assert "Traceback" not in err
    assert "interrupted" not in err
    (cache,) = (folder / NAME).glob("?" * 16)
    names = {path.name for path in cache.iterdir()}
    assert {"path.safetensors", "source", "target"} < names
    assert not [name for name in names if name.startswith(".")]


def test_it_ends_in_the_middle_of_its_preparation_and_of_a_request(tmp_path):
    generator = np.random.default_rng(0)
    for name in ("source", "target"):
        matrix = generator.standard_normal((30_000, 100)).astype(np.float32)
        matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
        write(Embeddings([f"{name}{i}" for i in range(len(matrix))], matrix), tmp_path / name)
    (tmp_path / "run.json").write_text('{"format": "lexalign-run-2"}', encoding="utf-8")
    with running(tmp_path) as server:
        assert server.get("/api/translate?word=source7")["scoring"] == "cosine"
        assert server.get("/api/about")["preparation"]["state"] == "running"
        (child,) = children_of(server.process.pid)
        with socket.create_connection((server.host, server.port)) as idle:
            idle.sendall(b"GET /api/about HTTP/1.1\r\n")
            began = time.monotonic()
            code, _, err = server.stopped_by(signal.SIGINT)
    assert code == 0
    assert "Traceback" not in err
    assert time.monotonic() - began < 20
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_it_is_interrupted_while_it_converts(tmp_path):
    """A copy that is whole by then may stay."""
    generator, words = np.random.default_rng(0), {}
    for name in ("source", "target"):
        matrix = generator.standard_normal((20_000, 50)).astype(np.float32)
        words[name] = [f"{name}{i}" for i in range(len(matrix))]
        write(Embeddings(words[name], matrix), tmp_path / f"{name}.vec")
    (tmp_path / "run.json").write_text('{"format": "lexalign-run-2"}', encoding="utf-8")
    command = [*PROGRAM, "explore", str(tmp_path), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            while process.poll() is None and not list((tmp_path / NAME).rglob("*part*")):
                time.sleep(0.001)
            process.send_signal(signal.SIGINT)
            err = process.communicate(timeout=60)[1]
        finally:
            process.kill()
    assert process.returncode == 130
    assert err.splitlines()[-1] == "lexalign: interrupted; unfinished output was removed."
    (cache,) = (path for path in (tmp_path / NAME).iterdir() if path.is_dir())
    left = {path.name for path in cache.iterdir()} - {"lock", "source.lock", "target.lock"}
    assert left < {"source", "target"}
    for name in left:
        assert list(read(cache / name).words) == words[name]


def children_of(pid):
    """The preparations that a process has started."""
    return [
        program.process
        for program in running_programs()
        if program.parent == pid and "spawn_main" in program.command
    ]


def test_raw_paths_read_no_file(refined):
    with running(refined) as server:
        for path in (
            "/../run.json",
            "/../../../../../../etc/passwd",
            "/explore.js/../../run_folder.py",
            "//etc/passwd",
            "/%2e%2e%2frun.json",
            "http://127.0.0.1/etc/passwd",
            "/\xff\xfe",
        ):
            answer = exchange(server, f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n")
            assert answer.split(b" ")[1] in (b"404", b"400"), (path, answer)
            assert b"root:" not in answer
        for request, status in (
            ("GET / HTTP/1.1\r\n", b"421"),
            ("GET / HTTP/1.1\r\nHost: evil.example\r\n", b"421"),
            ("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n", b"400"),
            ("nonsense\r\n", b"400"),
            ("GET /" + "a" * 100_000 + " HTTP/1.1\r\nHost: 127.0.0.1\r\n", b"404"),
            (
                "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
                "Connection: Upgrade\r\n",
                b"200",
            ),
        ):
            assert exchange(server, request).split(b" ")[1] in (status, b"400"), request[:60]
        assert server.get("/api/about")["method"] == "refine"
        code, _, err = server.stopped_by(signal.SIGTERM)
    assert code == 0
    assert "Traceback" not in err


def exchange(server, request):
    """What comes back for these bytes."""
    with socket.create_connection((server.host, server.port), timeout=20) as line:
        line.sendall(request.encode("latin-1") + b"Connection: close\r\n\r\n")
        answer = b""
        try:
            while part := line.recv(65_536):
                answer += part
        except ConnectionResetError:
            pass
    return answer


IMPATIENT = """
import lexalign.explore.connection as connection, lexalign.explore.endpoints as endpoints
connection.HEADER_SECONDS = endpoints.BODY_SECONDS = 0.5
"""
POST = b"POST /api/check HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"


def test_connections_that_send_no_whole_request_are_closed(refined):
    with running(refined, before=IMPATIENT) as server:
        place = server.host, server.port
        whole = b"GET /api/about HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        for first, begun in ((b"", b""), (b"", b"GET /api/about HT"), (whole, b"GET /")):
            with socket.create_connection(place, timeout=20) as line:
                line.sendall(first)
                assert not first or line.recv(65_536).startswith(b"HTTP/1.1 200")
                line.sendall(begun)
                began = time.monotonic()
                while line.recv(65_536):
                    pass
            assert time.monotonic() - began < 4, begun  # the keep-alive time alone is 5 s
        with socket.create_connection(place, timeout=20) as line:
            line.sendall(POST + b"Content-Length: 100\r\n\r\n{")
            assert b" 408 " in line.recv(65_536)
        with socket.create_connection(place, timeout=20) as line:
            line.sendall(whole)
            time.sleep(1)  # a connection in use is not closed
            line.sendall(whole)
            line.settimeout(5)
            assert line.recv(65_536).startswith(b"HTTP/1.1 200")
        code, _, err = server.stopped_by(signal.SIGTERM)
    assert code == 0
    assert "Traceback" not in err


def test_a_client_that_leaves_in_the_middle_of_a_body_is_no_failure(refined):
    with running(refined) as server:
        for _ in range(3):
            with socket.create_connection((server.host, server.port), timeout=20) as line:
                line.sendall(POST + b"Content-Length: 100\r\n\r\n{")
        assert server.get("/api/about")["method"] == "refine"
        code, _, err = server.stopped_by(signal.SIGTERM)
    assert code == 0
    assert "Traceback" not in err


def test_a_folder_that_cannot_be_written_is_explored_all_the_same(refined, tmp_path):
    folder = copied(refined, tmp_path)
    (folder / NAME).write_text("in the way", encoding="utf-8")
    with running(folder) as server:
        server.wait_until_prepared()
        code, _, err = server.stopped_by(signal.SIGINT)
    assert code == 0
    assert "cannot be written, so prepared data are not kept" in err


def test_the_cache_can_be_elsewhere(refined, tmp_path):
    folder = copied(refined, tmp_path)
    with running(folder, "--cache", tmp_path / "cache", "--limit", 100) as server:
        assert server.wait_until_prepared()["source"]["words"] == 100
        server.stopped_by(signal.SIGINT)
    assert not (folder / NAME).exists()
    assert list((tmp_path / "cache").glob("*/path.safetensors"))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_before_the_first_answer_is_not_lost(refined, number):
    program = f"""
import signal
from pathlib import Path
from lexalign.explore.server import serve

class Dying:
    def __del__(self):  # Where a KeyboardInterrupt would be ignored.
        signal.raise_signal({number:d})

serve(Path({str(refined)!r}), port=0, announce=lambda *_: Dying())
print("ended")
"""
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "ended\n", "")


def test_other_machines_are_let_in_only_with_a_warning(refined):
    with running(refined, "--host", "0.0.0.0") as server:
        _, _, err = server.stopped_by(signal.SIGINT)
    assert "everyone in your network can read these vectors" in err
    with running(refined) as server:
        assert server.host == "127.0.0.1"
        _, _, err = server.stopped_by(signal.SIGINT)
    assert "network" not in err


def test_a_port_that_is_taken(capsys, refined):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, out, err = run(capsys, "explore", refined, "--port", port)
    assert code == 1
    assert out == ""
    assert f"The port {port} is taken; choose another (--port), or 0 for any that is free." in err


def test_the_usual_port_gives_way(monkeypatch):
    tried = []

    def bound(host, port):
        tried.append(port)
        if port == PORT:
            raise OSError(errno.EADDRINUSE, "Address already in use")
        return socket.create_server((host, port))

    monkeypatch.setattr("lexalign.explore.server._bound", bound)
    with listening("127.0.0.1", None) as listener:
        assert tried == [PORT, 0]
        assert address_of(listener).startswith("http://127.0.0.1:")


def test_an_address_of_the_sixth_version():
    try:
        listener = listening("::1", 0)
    except Exception:
        pytest.skip("no IPv6 on this machine")
    with listener:
        assert address_of(listener).startswith("http://[::1]:")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere"], "nowhere: there is no such folder; name a folder written by"),
        (["."], "the folder holds no run.json; name a folder"),
        ([".", "--host", "no.such.host.invalid"], "It is not possible to listen on"),
    ],
)
def test_what_cannot_be_explored_gets_one_sentence(
    capsys, tmp_path, monkeypatch, arguments, sentence
):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, "explore", *arguments, "--port", "0")
    assert code == 1
    assert out == ""
    assert sentence in err


def test_vectors_that_do_not_go_together_are_refused(capsys, tmp_path):
    write(Embeddings(["a"], np.eye(1)), tmp_path / "source.vec")
    write(Embeddings(["b"], np.ones((1, 2))), tmp_path / "target.vec")
    (tmp_path / "run.json").write_text('{"format": "lexalign-run-2"}', encoding="utf-8")
    code, _, err = run(capsys, "explore", tmp_path, "--port", "0")
    assert code == 1
    assert "vectors have 1 dimensions and those of" in err


@pytest.mark.parametrize("package", ["starlette", "uvicorn", "threadpoolctl"])
def test_the_extra_is_named_before_any_work(capsys, refined, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setattr(
        "lexalign.explore.server.open_explorer", lambda *_, **__: pytest.fail("files were read")
    )
    code, _, err = run(capsys, "explore", refined)
    assert code == 1
    assert "pip install 'lexalign[explore]'" in err


def test_a_preparation_that_dies_says_so(tmp_path):
    folder = refined_run(tmp_path / "run")
    with open_explorer(folder) as explorer:
        os.kill(explorer._preparation._work._process.pid, signal.SIGKILL)
        end = time.monotonic() + 20
        while (view := explorer.view()).stage.state == "running":
            assert time.monotonic() < end
            time.sleep(0.02)
        assert view.stage.state == "failed"
        assert view.stage.message == (
            "The preparation ended early with code -9; start the explorer again."
        )
        assert view.space.scoring == "cosine"


def test_a_preparation_that_fails_says_why(tmp_path):
    preparation = Preparation(tmp_path / "nowhere", tmp_path / "cache", 10)
    try:
        end = time.monotonic() + 20
        while (stage := preparation.stage).state == "running":
            assert time.monotonic() < end
            time.sleep(0.02)
        assert "there is no such folder" in stage.message
    finally:
        preparation.stop()
