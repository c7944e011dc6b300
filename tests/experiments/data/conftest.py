"""A real server on loopback, with files that tests put there."""

import io
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


class Server(ThreadingHTTPServer):
    """Serves ``files`` by path, of those in ``cut`` only half, and keeps the ``requests``."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.requests = {}, []
        self.cut = set()

    @property
    def url(self):
        """Scheme, host and port."""
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    """Answers GET."""

    def do_GET(self):
        """Send the file, half of it, or an error: that of the number in its place, else 404."""
        self.server.requests.append(self.path)
        content = self.server.files.get(self.path)
        if not isinstance(content, bytes):
            self.send_error(content or 404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if self.path in self.server.cut else content)

    def log_message(self, *arguments):
        """Be silent."""


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def no_data_folder(monkeypatch):
    """The folder of whoever runs the tests is none of their business."""
    monkeypatch.delenv("LEXALIGN_DATA", raising=False)


def zip_of(members) -> bytes:
    """A zip archive of texts by name."""
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return memory.getvalue()
