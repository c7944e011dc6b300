"""The executor ray, on a real cluster of several processes."""

import os
import signal
import threading
import time

import pytest

from lexalign.experiments import Inputs, plan, read_grid, run_plans
from tests.running_programs import running_programs

ray = pytest.importorskip("ray")


@pytest.fixture
def cluster():
    """Two nodes with a core each, as two machines would be."""
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    made.add_node(num_cpus=1)
    ray.init(address=made.address, log_to_driver=False)
    yield made
    ray.shutdown()
    made.shutdown()


def running_tasks() -> list[int]:
    """The processes that are just now doing a job."""
    programs = running_programs()
    return [program.process for program in programs if program.command.startswith("ray::_attempt")]


class Assassin(threading.Thread):
    """Kills the first worker that it sees at work."""

    def __init__(self):
        super().__init__(daemon=True)
        self.victims = []

    def run(self):
        """Look until there is one."""
        until = time.monotonic() + 120
        while not self.victims and time.monotonic() < until:
            for process in running_tasks()[:1]:
                os.kill(process, signal.SIGKILL)
                self.victims.append(process)
            time.sleep(0.01)


@pytest.mark.filterwarnings("ignore")
def test_a_killed_worker_changes_nothing(toys, cluster, monkeypatch):
    made = plan(read_grid(toys / "small.toml"), Inputs.read(toys / "inputs.toml"))
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.setenv(name, "1")
    here = run_plans([made], toys / "local")
    assassin = Assassin()
    assassin.start()
    there = run_plans([made], toys / "ray", executor="ray", workers=2)
    assassin.join()
    assert assassin.victims
    assert here.done == there.done == len(made.jobs)
    assert not there.failed
    for job in made.jobs:
        for file in job.folder(toys / "local").iterdir():
            if file.name != "run.json":
                assert file.read_bytes() == (job.folder(toys / "ray") / file.name).read_bytes()


@pytest.mark.filterwarnings("ignore")
def test_it_goes_on_and_records_what_cannot_be_read(toys, cluster):
    import shutil

    made = plan(read_grid(toys / "small.toml"), Inputs.read(toys / "inputs.toml"))
    whole = (toys / "fr.npz").read_bytes()
    (toys / "fr.npz").write_bytes(whole[:1000])
    broken = run_plans([made], toys / "ray", executor="ray", workers=2)
    assert {finished.job.title.split()[1] for finished in broken.failed} == {"toy:en-fr"}
    (toys / "fr.npz").write_bytes(whole)
    for folder in (toys / "ray" / "jobs").glob("evaluate*"):
        shutil.rmtree(folder)
    assert not run_plans([made], toys / "ray", executor="ray", workers=2).failed
    assert all(job.is_done(toys / "ray") for job in made.jobs)
