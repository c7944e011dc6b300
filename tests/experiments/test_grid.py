"""Grids and inputs: what is read, and what is refused before anything runs."""

import pytest

from lexalign.errors import InputError, LexalignError
from lexalign.experiments import Inputs, plan, read_grid, run_plans, shipped
from lexalign.experiments.grid import Pair
from lexalign.experiments.inputs import MissingInputError
from lexalign.experiments.toml_text import parse_toml
from tests.experiments.conftest import GRID


@pytest.mark.parametrize("name", shipped())
def test_the_shipped_grids_are_the_tables_of_the_paper(name):
    grid = read_grid(name)
    assert grid.seeds == (0, 1, 2)
    assert [refinement.label for refinement in grid.refinements] == ["ℓ2", "ℓ1"]
    assert {refinement.refiner().horizon for refinement in grid.refinements} == {5e-3}
    rows = {
        choice.label + (f"-{refinement.label}" if refinement else "")
        for choice in grid.aligners
        for refinement in (None, *(grid.refinements if choice.refine else ()))
    }
    assert set(grid.published) == rows
    for row in grid.published.values():
        assert set(row) == {pair.languages for pair in grid.pairs}


def test_the_shipped_grids_find_the_inputs_that_can_be_fetched(tmp_path):
    from lexalign.experiments.data import catalogue

    public = Inputs.public(tmp_path)
    for file in (file for entry in catalogue() for file in entry.files):
        for path in file.results:
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(path)
    for name in ("table1a", "table2a", "table3", "table4"):
        missing = {cell.missing for cell in plan(read_grid(name), public).cells if cell.missing}
        assert all("corpora" in reason for reason in missing)


def test_a_pair_may_name_its_vectors():
    assert Pair.parse("en-de", "wiki") == Pair("wiki", "en", "de")
    assert str(Pair.parse("news:en-de", "wiki")) == "news:en-de"
    for wrong in ("ende", "en-", "en-de-fr"):
        with pytest.raises(LexalignError, match="is not a pair of languages; write two languages"):
            Pair.parse(wrong, "wiki")


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('metric = "p@1"', 'metric = "p@2"', "no metric called 'p@2'"),
        ('metric = "p@1"', "", "The grid has no 'metric'"),
        ('title = "Small translation"', "title = 3", "'title' of the grid must be a text. Got 3"),
        (
            "seeds = [0, 1]",
            "seed = [0, 1]",
            "no key of a grid called 'seed'; perhaps it is 'seeds'",
        ),
        ("seeds = [0, 1]", "seeds = []", "The grid has no 'seeds'"),
        ("seeds = [0, 1]", "seeds = 3", "The 'seeds' of the grid has the wrong form"),
        ("seeds = [0, 1]", "seeds = [0.7]", "expected whole numbers from 0"),
        ("seeds = [0, 1]", "limit = -4", "'limit' must be at least 1"),
        ("seeds = [0, 1]", "training = { epoch = 2 }", "no parameter of training called 'epoch'"),
        (
            "patience = 5",
            'patience = "five"',
            "'patience' parameter of vecmap must be a whole number",
        ),
        ('loss = "l1"', "rounds = 1.5", "'rounds' parameter of refinement must be a whole number"),
        (
            'loss = "l1"',
            'rounds = "auto"',
            "'rounds' parameter of refinement must be a whole number",
        ),
        ("horizon = 5e-3", 'horizon = "soon"', "'horizon' .* a finite number, above 0, or 'auto'"),
        ('"Procrustes-ℓ1" =', '"Procrustes-l1" =', "no row of the table called 'Procrustes-l1'"),
        ("{ en-de = 98.5 }", '{ en-de = "x" }', "must be numbers"),
        ("{ en-de = 98.5 }", "3", "The 'published' of the grid has the wrong form"),
        ('"en-fr"]', '"enfr"]', "'enfr' is not a pair of languages"),
        ('method = "vecmap"', 'method = "vecmaps"', "no method called 'vecmaps'"),
        ("patience = 5", "patients = 5", "no parameter of vecmap called 'patients'"),
        ('preset = "unsupervised"', 'preset = "none"', "'preset'"),
        ('lexicon = "train"', "", "needs a seed lexicon"),
        ('label = "VecMap"', 'label = "Procrustes"', "The label 'Procrustes' appears twice"),
        ('loss = "l1"', 'loss = "l3"', "'loss' parameter of refinement must be one of"),
        ('loss = "l1"', 'losses = "l1"', "no parameter of refinement called 'losses'"),
        ('kind = "translation"', 'kind = "xnli"', "no kind of evaluation called 'xnli'"),
        ('lexicon = "test"', "", "has no 'lexicon'; name one"),
        ('protocol = "muse"', 'protocol = "mouse"', "mouse"),
        ('method = "vecmap"', 'method = "given"', "needs 'aligned'"),
        ("seeds = [0, 1]", "seeds = [0, 1", "it is not TOML"),
    ],
)
def test_a_grid_that_cannot_run_is_refused_at_once(tmp_path, old, new, problem):
    assert old in GRID
    path = tmp_path / "grid.toml"
    path.write_text(GRID.replace(old, new))
    with pytest.raises(InputError, match=problem) as error:
        read_grid(path)
    assert str(path) in str(error.value)


def test_a_grid_of_inference_takes_the_settings_of_its_learner(tmp_path):
    path = tmp_path / "grid.toml"
    evaluation = '[evaluation]\nkind = "nli"\nhidden = 8\n'
    start, end = GRID.index("[evaluation]"), GRID.index("[[aligners]]")
    text = GRID[:start] + evaluation + GRID[end:]
    path.write_text(text.replace('metric = "p@1"', 'metric = "accuracy"'))
    assert read_grid(path).evaluation.parameters == {"hidden": 8}
    path.write_text(text.replace('"p@1"', '"accuracy"').replace("hidden", "hiden"))
    with pytest.raises(InputError, match="no parameter of the learner called 'hiden'"):
        read_grid(path)


def test_an_unknown_grid_names_the_known_ones():
    with pytest.raises(InputError, match="table1a, table1b"):
        read_grid("table9")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[vector.toy]\nfile = 'x'", "there is no section"),
        ("[vectors]\ntoy = 'x'", "the entry 'toy' of .vectors. has the wrong form"),
        ("[vectors.toy]\nfiles = 'x'", "has the wrong form; write it as file ="),
        ("[lexicons]\ntest = 3", "write it as NAME ="),
        ("pairs = 3", "has the wrong form"),
        ("[pairs]\nsmall = []", "has the wrong form; write it as GRID ="),
        ("[pairs]\nsmall = [1]", "has the wrong form; write it as GRID ="),
        ("[pairs", "it is not TOML"),
    ],
)
def test_inputs_of_another_form_are_refused(tmp_path, text, problem):
    (tmp_path / "inputs.toml").write_text(text)
    with pytest.raises(InputError, match=problem):
        Inputs.read(tmp_path / "inputs.toml")
    with pytest.raises(InputError, match="cannot be read"):
        Inputs.read(tmp_path / "other.toml")


def made(toys):
    return plan(read_grid(toys / "small.toml"), Inputs.read(toys / "inputs.toml"))


def test_what_draws_no_random_numbers_is_one_job(toys):
    jobs = made(toys).jobs
    titles = [job.title for job in jobs if job.step == "align"]
    assert titles == [
        "procrustes toy:en-de 0", "procrustes toy:en-fr 0",
        "vecmap toy:en-de 0", "vecmap toy:en-de 1", "vecmap toy:en-fr 0", "vecmap toy:en-fr 1",
    ]  # fmt: skip
    names = [job.name for job in jobs]
    assert len(set(names)) == len(names)
    for place, job in enumerate(jobs):
        assert job.needs is None or job.needs.name in names[:place]


def test_another_label_or_device_does_not_make_another_job(toys):
    before = {job.name for job in made(toys).jobs}
    (toys / "small.toml").write_text(GRID.replace("ℓ1", "Manhattan"))
    assert {job.name for job in made(toys).jobs} == before
    (toys / "small.toml").write_text(GRID.replace('label = "VecMap"', f'label = "{"v" * 300}"'))
    assert {job.name for job in made(toys).jobs} == before
    assert all(len(name) < 120 for name in before)
    grid, inputs = read_grid(toys / "small.toml"), Inputs.read(toys / "inputs.toml")
    elsewhere = plan(grid, inputs, device="cuda").jobs
    assert {job.name for job in elsewhere} == before
    assert all(job.parameters["device"] == "cuda" for job in elsewhere if job.step == "refine")


def test_other_contents_or_settings_make_other_jobs(toys):
    before = {job.name for job in made(toys).jobs}
    (toys / "en-de.test.txt").write_text("en1 de1\n")
    changed = before - {job.name for job in made(toys).jobs}
    assert changed
    assert all(name.startswith("evaluate") and "en-de" in name for name in changed)
    (toys / "small.toml").write_text(GRID.replace("patience = 5", "patience = 6"))
    changed = before - {job.name for job in made(toys).jobs}
    assert any(name.startswith("align-vecmap") for name in changed)
    assert not any("procrustes-toy-en-fr" in name for name in changed)


def test_what_is_not_at_hand_is_left_out_with_the_reason(toys):
    (toys / "fr.npz").unlink()
    cells = made(toys).cells
    assert {cell.pair for cell in cells if cell.job} == {"toy:en-de"}
    assert {cell.missing for cell in cells if not cell.job} == {f"there is no fr.npz in {toys}"}
    (toys / "en.npz").unlink()
    with pytest.raises(InputError, match="nothing of small can be run: there is no en.npz"):
        run_plans([made(toys)], toys / "out")


def test_the_inputs_may_have_other_pairs(toys):
    with (toys / "inputs.toml").open("a") as file:
        file.write('[pairs]\nsmall = ["en-de"]\n')
    assert {cell.pair for cell in made(toys).cells} == {"toy:en-de"}


@pytest.mark.parametrize(("lowercase", "differ"), [("true", False), ("false", True)])
def test_the_case_of_seeds_makes_another_job_only_where_case_is_kept(toys, lowercase, differ):
    names = []
    for case in ("auto", "as-is"):
        text = GRID.replace('metric = "p@1"', f'metric = "p@1"\nlowercase = {lowercase}')
        text = text.replace('method = "procrustes"', f'method = "procrustes"\ncase = "{case}"')
        (toys / "small.toml").write_text(text)
        names.append({cell.job.name for cell in made(toys).cells})
    assert (names[0] != names[1]) is differ


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\na" + ".a" * 20_000 + " = 1", "more than 50 parts between dots .at line 2"),
        ("x = {a" + ".a" * 20_000 + " = 1}", "more than 50 parts between dots .at line 1"),
        ('"!"' + '."!"' * 20_000 + " = 1", "more than 50 parts between dots .at line 1"),
        ("x = " + "[" * 20_000, "nests too deeply"),
        ("x = " + "9" * 5000, "too many digits"),
    ],
)
def test_toml_that_would_take_minutes_is_refused(tmp_path, text, message):
    path = tmp_path / "bomb.toml"
    path.write_text(text)
    for read in (read_grid, Inputs.read):
        with pytest.raises(InputError, match=message):
            read(path)


def test_texts_with_many_dots_are_no_keys():
    text = 'x = "' + "a." * 100 + '"\ny = [' + "0.5, " * 100 + "]"
    assert parse_toml(text) == {"x": "a." * 100, "y": [0.5] * 100}


def test_a_name_that_is_too_long_for_a_file_is_said(tmp_path):
    (tmp_path / "inputs.toml").write_text(f'[vectors.wiki]\nfile = "{"[" * 2000}"\n')
    inputs = Inputs.read(tmp_path / "inputs.toml")
    with pytest.raises(MissingInputError, match="cannot be read") as found:
        inputs.vectors_of(Pair.parse("en-de", "wiki"))
    assert len(str(found.value)) < 200
