"""The map of a run leads from the original vectors, whatever chain of runs lies behind it."""

import numpy as np
import pytest

from lexalign import Embeddings, Lexicon, Run, read, write
from lexalign.aligners import Procrustes, Rcsls, VecMap
from lexalign.errors import InputError
from lexalign.pipelines.align import FileAlignment
from lexalign.pipelines.refine import refine_files
from lexalign.refinement import Refiner
from tests.conftest import exit_code, random_rotation

METHODS = [Procrustes(), Rcsls(), VecMap()]
STEP = {"horizon": 5e-3, "max_rank": 400}


@pytest.fixture
def files(tmp_path):
    """Raw vectors of three languages that are noisy rotations of each other, of any length."""
    generator = np.random.default_rng(0)
    base = generator.standard_normal((400, 24))
    for number, name in enumerate(("en", "de", "fr")):
        noise = 0.3 * generator.standard_normal(base.shape)
        raw = 3 * (base + noise) @ random_rotation(24, generator) + number
        write(Embeddings([f"{name}{row}" for row in range(400)], raw), tmp_path / f"{name}.vec")
    for name in ("de", "fr"):
        pairs = [(f"{name}{row}", f"en{row}") for row in range(100)]
        Lexicon(pairs).write(tmp_path / f"{name}-en.txt")
    return tmp_path


def aligned(files, aligner):
    FileAlignment(aligner).align(
        files / "de.vec", files / "en.vec", str(files / "de-en.txt"), files / "aligned"
    )
    return Run.open(files / "aligned")


def refined(source, target, output, **parameters):
    refine_files(source, target, output, Refiner(**{**STEP, **parameters}))
    return Run.open(output)


def assert_leads_there(run, source, target):
    """The map of a run takes the original files to the vectors that the run wrote."""
    for side, original, written in (("source", source, run.source), ("target", target, run.target)):
        mapped = run.map.apply(read(original), side)
        np.testing.assert_allclose(mapped.matrix, written.matrix, atol=2e-5)


@pytest.mark.parametrize("aligner", METHODS, ids=lambda method: method.name)
@pytest.mark.parametrize("normalise", ["unit", "unit,centre,unit", "none"])
def test_refining_a_run_writes_the_whole_map(files, aligner, normalise):
    base = aligned(files, aligner)
    run = refined(*base.files, files / "refined", normalise=normalise)
    assert not run.changed_nothing
    assert_leads_there(run, files / "de.vec", files / "en.vec")
    again = refined(*run.files, files / "again", loss="l2")
    assert_leads_there(again, files / "de.vec", files / "en.vec")
    assert again.map.provenance["base"]["base"]["method"] == aligner.name


def test_rotations_stay_one_matrix(files):
    run = refined(*aligned(files, Procrustes()).files, files / "refined")
    assert len(run.map.source.stages) == 1
    assert run.map.inverse().source.matrix is not None


def test_the_step_alone_is_kept_too(files):
    base = aligned(files, Procrustes())
    run = refined(*base.files, files / "refined")
    before = base.source.matrix @ run.rotation
    np.testing.assert_allclose(run.source.matrix, before, atol=1e-5)


def test_plain_files_have_no_map_behind(files):
    base = aligned(files, Procrustes())
    for path, name in zip(base.files, ("one.vec", "two.vec"), strict=True):
        path.rename(files / name)
    run = refined(files / "one.vec", files / "two.vec", files / "refined")
    assert_leads_there(run, files / "one.vec", files / "two.vec")
    assert "base" not in run.record


def test_languages_of_a_pivot_keep_their_maps(files):
    names = {name: files / f"{name}.vec" for name in ("en", "de", "fr")}
    lexicons = {name: str(files / f"{name}-en.txt") for name in ("de", "fr")}
    FileAlignment(Procrustes()).align_to_pivot(names, "en", lexicons, files / "shared")
    shared = files / "shared"
    run = refined(shared / "de.vec", shared / "en.vec", files / "with-pivot")
    assert_leads_there(run, files / "de.vec", files / "en.vec")
    run = refined(shared / "de.vec", shared / "fr.vec", files / "without-pivot")
    assert_leads_there(run, files / "de.vec", files / "fr.vec")


def test_apply_takes_original_vectors_and_no_others(files, capsys):
    run = refined(*aligned(files, Procrustes()).files, files / "refined")
    target = ["--side", "source", "--output", files / "mapped.vec"]
    assert exit_code("apply", run.path / "map.safetensors", files / "de.vec", *target) == 0
    np.testing.assert_allclose(read(files / "mapped.vec").matrix, run.source.matrix, atol=2e-5)
    capsys.readouterr()
    other = ["--side", "source", "--output", files / "other.vec"]
    wrong = files / "aligned" / "source.vec"
    assert exit_code("apply", run.path / "map.safetensors", wrong, *other) == 1
    error = capsys.readouterr().err
    assert "source.vec: the map was learned for other vectors" in error
    assert "--force" in error
    assert not (files / "other.vec").exists()
    assert exit_code("apply", run.path / "map.safetensors", wrong, *other, "--force") == 0


def test_apply_says_when_it_cannot_check(files, caplog):
    run = aligned(files, Procrustes())
    write(Embeddings(["rare"], np.ones((1, 24))), files / "rare.vec")
    output = ["--side", "source", "--output", files / "rare.mapped.vec"]
    assert exit_code("apply", run.path / "map.safetensors", files / "rare.vec", *output) == 0
    assert "none of the probe words" in caplog.text


def test_a_map_does_not_take_its_own_output(files):
    """Also where the refinement moved little."""
    base = aligned(files, Procrustes())
    for path, name in zip(base.files, ("one.vec", "two.vec"), strict=True):
        path.rename(files / name)
    run = refined(files / "one.vec", files / "two.vec", files / "refined")
    with pytest.raises(InputError, match="the map was learned for other vectors"):
        run.map.apply(run.source, "source")


def test_a_run_without_its_map_or_with_another_is_not_refined(files):
    base = aligned(files, Procrustes())
    other = FileAlignment(VecMap())
    other.align(files / "de.vec", files / "en.vec", str(files / "de-en.txt"), files / "other")
    map_ = base.path / "map.safetensors"
    map_.write_bytes((files / "other" / "map.safetensors").read_bytes())
    with pytest.raises(InputError, match=r"map.safetensors: it is not the map that the run wrote"):
        refined(*base.files, files / "refined")
    map_.unlink()
    with pytest.raises(InputError, match=r"map.safetensors: it is missing; repeat the run"):
        refined(*base.files, files / "refined")
    assert not (files / "refined").exists()


def test_vectors_that_the_run_did_not_write_are_not_refined(files):
    base = aligned(files, Procrustes())
    write(read(files / "de.vec"), base.files[0], overwrite=True)
    with pytest.raises(InputError, match="not the vectors that the run in this folder wrote"):
        refined(*base.files, files / "refined")


def test_a_run_with_a_pivot_has_no_single_map(files):
    names = {name: files / f"{name}.vec" for name in ("en", "de")}
    lexicons = {"de": str(files / "de-en.txt")}
    FileAlignment(Procrustes()).align_to_pivot(names, "en", lexicons, files / "shared")
    with pytest.raises(InputError, match="load one of these: de.map.safetensors"):
        _ = Run.open(files / "shared").map
