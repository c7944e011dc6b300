"""No file makes a reader fail otherwise than by one sentence that names the file.

Each reader sees some damaged files in every run of the tests, and thousands with ``make fuzz``
(the environment variable LEXALIGN_FUZZ says how many).
"""

from __future__ import annotations

import os
import resource
import signal
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lexalign.errors import LexalignError
from tests.fuzz.mutations import damaged
from tests.fuzz.readers import READERS, require_message, structures_of

FEW = 25
INPUTS = int(os.environ.get("LEXALIGN_FUZZ", FEW))
SECONDS = 20
MEMORY = 1 << 30
STATM = Path("/proc/self/statm")


@pytest.fixture(scope="module", params=READERS)
def reader(request):
    return READERS[request.param]


@pytest.fixture(scope="module")
def folder(reader, tmp_path_factory):
    """The valid files, which the reader accepts."""
    folder = tmp_path_factory.mktemp("fuzz")
    for name, content in reader.valid().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


@pytest.fixture(scope="module")
def accepted(reader, folder):
    """Read the valid files once, so that all libraries are loaded."""

    @settings(max_examples=5, database=None, derandomize=True)
    @given(data=st.data())
    def use(data):
        reader.use(folder, data.draw)

    use()


class TooSlowError(BaseException):
    """A reader took too long; no handler of a reader catches this."""


@contextmanager
def bounded():
    """Bound the time and the memory of a reader; what needs more fails.

    macOS does not bound memory, so there only the time counts.
    """

    def stop(signum, frame):
        raise TooSlowError(f"no answer after {SECONDS} s")

    before = resource.getrlimit(resource.RLIMIT_AS)
    handler = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    if STATM.exists():
        pages = int(STATM.read_text().split()[0])
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MEMORY, before[1]))
    try:
        yield
    finally:
        if STATM.exists():
            resource.setrlimit(resource.RLIMIT_AS, before)
        signal.alarm(0)
        signal.signal(signal.SIGALRM, handler)


@pytest.mark.usefixtures("accepted")
@settings(
    max_examples=INPUTS,
    derandomize=INPUTS == FEW,  # the tests see the same inputs in every run
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(data=st.data())
def test_a_damaged_file_is_read_or_refused(reader, folder, data):
    name = data.draw(st.sampled_from(reader.names()))
    whole = reader.valid()[name]
    content = data.draw(damaged(whole, structures_of(name)))
    (folder / name).write_bytes(content)
    try:
        with bounded():
            reader.use(folder, data.draw)
    except LexalignError as error:
        require_message(error, str(folder))
    finally:
        (folder / name).write_bytes(whole)


def remove(path):
    path.unlink()


def replace_by_folder(path):
    path.unlink()
    path.mkdir()


def replace_by_loop(path):
    path.unlink()
    path.symlink_to(path.name)


@pytest.mark.parametrize("change", [remove, replace_by_folder, replace_by_loop])
@pytest.mark.usefixtures("accepted")
@settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_file_that_cannot_be_opened_is_one_sentence(reader, folder, change, data):
    for name in reader.names():
        change(folder / name)
        try:
            reader.use(folder, data.draw)
        except LexalignError as error:
            require_message(error, str(folder))
        finally:
            path = folder / name
            path.rmdir() if path.is_dir() else path.unlink(missing_ok=True)
            path.write_bytes(reader.valid()[name])
