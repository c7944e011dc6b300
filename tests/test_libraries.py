import os

import pytest

from lexalign.libraries import environment


def test_variables_are_set_for_a_while(monkeypatch):
    monkeypatch.setenv("LEXALIGN_OLD", "before")
    with pytest.raises(KeyError), environment({"LEXALIGN_OLD": "now", "LEXALIGN_NEW": "now"}):
        assert (os.environ["LEXALIGN_OLD"], os.environ["LEXALIGN_NEW"]) == ("now", "now")
        raise KeyError
    assert (os.environ["LEXALIGN_OLD"], "LEXALIGN_NEW" in os.environ) == ("before", False)
