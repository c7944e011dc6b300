"""The structures parse valid files, so that damage is where it should be."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz import valid_files as valid
from tests.fuzz.mutations import (
    in_archive,
    in_json,
    in_json_lines,
    in_tensors,
    in_toml,
    in_word2vec,
)

FILES = {
    in_archive: valid.vectors("a.npz")["a.npz"],
    in_json: valid.refinement()["run/run.json"],
    in_json_lines: valid.inference()["mnli.jsonl"],
    in_tensors: valid.linear_map()["map.safetensors"],
    in_toml: valid.grid()["grid.toml"],
    in_word2vec: valid.vectors("a.bin")["a.bin"],
}


@pytest.mark.parametrize("structure", FILES)
@settings(max_examples=30, deadline=None, derandomize=True)
@given(data=st.data())
def test_a_structure_parses_a_valid_file(structure, data):
    assert isinstance(structure(data.draw, FILES[structure]), bytes)
