import numpy as np
import pytest
import torch

from lexalign.arrays import require_device, to_device, to_numpy
from lexalign.errors import LexalignError, MissingExtraError


def test_the_cpu_leaves_arrays_as_they_are():
    array = np.zeros(3)
    assert to_device(array, "cpu") is array
    assert to_numpy(array) is array
    assert isinstance(to_numpy(torch.zeros(3)), np.ndarray)


def test_devices_that_are_not_there_are_refused(monkeypatch):
    with pytest.raises(LexalignError, match="Got 'tpu' instead"):
        require_device("tpu")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(LexalignError, match='choose `device="cpu"`'):
        require_device("cuda")


def test_without_torch_the_remedy_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'lexalign\[torch\]'"):
        require_device("cuda")
