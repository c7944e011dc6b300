import numpy as np
import pytest

from lexalign.aligners import align
from lexalign.errors import InputError, LexalignError, OutputError
from lexalign.spaces import LinearMap, Normalisation, Side, Stage, normalise
from lexalign.vectors import Embeddings
from tests.conftest import random_rotation


@pytest.fixture
def linear_map():
    generator = np.random.default_rng(0)
    words = Embeddings(["x", "y", "z"], generator.standard_normal((3, 4)).astype(np.float32))
    kept = normalise(words, "unit,centre,unit")[1]
    return LinearMap(
        Side((Stage(kept, random_rotation(4, generator)),)),
        Side((Stage(Normalisation(("unit",))),)),
        provenance={"method": "refine", "ℓ": 1},
    )


def test_a_saved_map_maps_as_before(linear_map, tmp_path):
    path = tmp_path / "map.safetensors"
    linear_map.save(path)
    loaded = LinearMap.load(path)
    rows = np.random.default_rng(1).standard_normal((5, 4)).astype(np.float32)
    for side in ("source", "target"):
        np.testing.assert_array_equal(loaded.apply(rows, side), linear_map.apply(rows, side))
    assert loaded.provenance == {"method": "refine", "ℓ": 1}
    assert loaded.source.normalisation.steps == ("unit", "centre", "unit")


def test_a_rotation_that_follows_is_merged(linear_map):
    rotation = random_rotation(4, np.random.default_rng(2))
    rows = np.random.default_rng(1).standard_normal((5, 4)).astype(np.float32)
    unit = Normalisation(("unit",))
    step = LinearMap(Side((Stage(unit, rotation),)), Side((Stage(unit),)))
    refined = linear_map.followed_by(step)
    assert (len(refined.source.stages), len(refined.target.stages)) == (1, 1)
    expected = linear_map.apply(rows, "source") @ rotation
    np.testing.assert_allclose(refined.apply(rows, "source"), expected, atol=1e-6)
    np.testing.assert_array_equal(refined.apply(rows, "target"), linear_map.apply(rows, "target"))


def test_an_existing_file_is_kept(linear_map, tmp_path):
    path = tmp_path / "map.safetensors"
    path.write_text("precious")
    with pytest.raises(OutputError, match="already exists"):
        linear_map.save(path)
    assert path.read_text() == "precious"


@pytest.mark.parametrize("content", [b"", b"garbage", b"\x80\x04pickle"])
def test_anything_else_is_refused(tmp_path, content):
    path = tmp_path / "map.safetensors"
    path.write_bytes(content)
    with pytest.raises(InputError, match="this is not a map of Lexalign"):
        LinearMap.load(path)


def test_a_foreign_safetensors_file_is_refused(tmp_path):
    from safetensors.numpy import save_file

    path = tmp_path / "weights.safetensors"
    save_file({"w": np.zeros(3, np.float32)}, path)
    with pytest.raises(InputError, match=r"weights.safetensors.*its format is None"):
        LinearMap.load(path)


def test_a_missing_file_and_a_wrong_side_are_named(linear_map, tmp_path):
    with pytest.raises(InputError, match=r"nothing\.safetensors: there is no such file"):
        LinearMap.load(tmp_path / "nothing.safetensors")
    with pytest.raises(LexalignError, match="Got 'left' instead"):
        linear_map.apply(np.zeros((1, 4), np.float32), "left")


def test_vectors_of_another_length_are_refused(linear_map):
    with pytest.raises(LexalignError, match=r"needs vectors of dimension 4. Got 3 instead"):
        linear_map.apply(np.zeros((1, 3), np.float32), "source")


def three_languages(seed=0, words=60, dimension=6):
    generator = np.random.default_rng(seed)
    names = [f"w{i}" for i in range(words)]
    matrix = generator.standard_normal((words, dimension)).astype(np.float32)
    return [
        Embeddings(names, matrix @ random_rotation(dimension, generator).astype(np.float32))
        for _ in range(3)
    ]


@pytest.mark.parametrize("method", ["procrustes", "vecmap"])
def test_an_inverse_moves_the_target_instead(method):
    one, other, _ = three_languages()
    alignment = align(method, one, other, "identical")
    back = alignment.map.inverse()
    assert back.target.matrix is None
    moved, stays = back.apply(other.matrix, "source"), back.apply(one.matrix, "target")
    np.testing.assert_allclose(moved, stays, atol=1e-4)
    again = back.inverse()
    np.testing.assert_allclose(
        again.apply(one.matrix, "source"), again.apply(other.matrix, "target"), atol=1e-4
    )


@pytest.mark.parametrize("method", ["procrustes", "vecmap"])
def test_maps_that_follow_each_other_compose(method):
    """From the first language through the second into the space of the third."""
    one, two, three = three_languages()
    first, second = align(method, one, two, "identical"), align(method, two, three, "identical")
    whole = first.map.compose(second.map)
    np.testing.assert_allclose(
        whole.apply(one.matrix, "source"), second.map.apply(two.matrix, "source"), atol=1e-4
    )
    np.testing.assert_allclose(
        whole.apply(one.matrix, "source"), whole.apply(three.matrix, "target"), atol=1e-4
    )


def test_what_cannot_be_turned_round_or_composed_is_refused(linear_map, tmp_path):
    flat = LinearMap(Side((Stage(matrix=np.diag([1.0, 1.0, 1.0, 0.0])),)), Side())
    with pytest.raises(LexalignError, match="matrix of the source, 4 × 4, has no inverse"):
        flat.inverse()
    with pytest.raises(LexalignError, match="matrix of the source, 4 × 3, has no inverse"):
        LinearMap(Side((Stage(matrix=np.eye(4)[:, :3]),)), Side()).inverse()
    with pytest.raises(LexalignError, match="These maps cannot be composed"):
        linear_map.compose(linear_map)
    composed = LinearMap(Side(), Side()).compose(LinearMap(Side(), Side()))
    assert composed.source.matrix is None
    composed.save(tmp_path / "map.safetensors")
    assert "composed" in LinearMap.load(tmp_path / "map.safetensors").provenance


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_a_map_with_numbers_that_are_not_finite_is_refused(tmp_path, number):
    damaged = LinearMap(Side((Stage(matrix=np.full((2, 2), number)),)), Side())
    damaged.save(tmp_path / "map.safetensors")
    with pytest.raises(InputError, match=r"map\.safetensors: .*its numbers are not all finite"):
        LinearMap.load(tmp_path / "map.safetensors")


def test_mapped_numbers_that_are_not_finite_are_refused():
    large = LinearMap(Side((Stage(matrix=np.full((2, 2), 1e38)),)), Side())
    with pytest.raises(InputError, match="mapped vectors are not finite"):
        large.apply(np.full((3, 2), 1e38, dtype=np.float32), "source")


def test_a_map_without_provenance_is_no_map(tmp_path):
    from safetensors import safe_open
    from safetensors.numpy import save_file

    path = tmp_path / "map.safetensors"
    LinearMap(Side((Stage(matrix=np.eye(2)),)), Side(), {"method": "procrustes"}).save(path)
    with safe_open(path, framework="numpy") as file:
        facts = file.metadata()["lexalign"]
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    facts = facts.replace('{"method": "procrustes"}', "null")
    assert '"provenance": null' in facts
    save_file(tensors, path, {"lexalign": facts})
    with pytest.raises(InputError, match=r"map\.safetensors: this is not a map of Lexalign"):
        LinearMap.load(path)
