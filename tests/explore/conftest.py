"""Runs that are made once, and the service over them."""

from contextlib import ExitStack

import pytest

from tests.explore.processes import running
from tests.explore.samples import aligned_run, opened, refined_run

HOST = "127.0.0.1"


@pytest.fixture(scope="session")
def refined(tmp_path_factory):
    """The folder of a refinement, which is mapped as it is; not to be changed."""
    return refined_run(tmp_path_factory.mktemp("refined"), "folder")


@pytest.fixture(scope="session")
def aligned(tmp_path_factory):
    """The folder of an alignment, whose text has to be converted; not to be changed."""
    return aligned_run(tmp_path_factory.mktemp("aligned"))


@pytest.fixture(scope="session")
def explorer(refined):
    """An explorer of the refinement, all prepared."""
    with ExitStack() as stack:
        yield opened(stack, refined)


@pytest.fixture(scope="session")
def space(explorer):
    """Its space."""
    return explorer.view().space


@pytest.fixture(scope="session")
def client(explorer):
    """A client of its service."""
    from starlette.testclient import TestClient

    from lexalign.explore.guard import allowed_hosts
    from lexalign.explore.service import make_service

    with TestClient(
        make_service([explorer], allowed_hosts(HOST)),
        base_url=f"http://{HOST}:8765",
        raise_server_exceptions=False,
    ) as client:
        yield client


@pytest.fixture(scope="module")
def browser():
    """A Chromium without a screen."""
    from tests.browsers import chromium

    with chromium() as driver:
        yield driver


@pytest.fixture(scope="module")
def server(explorer, refined):
    """An explorer as a process; all is prepared already, by the explorer of the other tests."""
    with running(refined, "--names", "English", "German") as server:
        yield server
