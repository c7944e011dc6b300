import subprocess
import sys
import time

import numpy as np
import pytest

from lexalign.errors import MissingExtraError
from lexalign.report import Change, DistanceChange, Misfit
from lexalign.report.distance_figure import CLOSER, FARTHER, draw, save


def made(count: int = 200, losses: tuple[str, ...] = ("l1", "l2")) -> DistanceChange:
    """Changes of l2 are ten times those of l1."""
    distances = np.linspace(0.5, 1.3, count)
    shape = np.sin(np.arange(count)) - 0.5
    changes = {
        loss: Change(10**place * 0.01 * shape, Misfit(1.0, 1.0), "done")
        for place, loss in enumerate(losses)
    }
    return DistanceChange([("a", "b")] * count, distances, Misfit(1.0, 1.0), changes)


def test_each_panel_has_its_own_scale_unless_they_are_uniform():
    upper, lower = (panel.get_ylim() for panel in draw(made()).axes)
    assert lower == pytest.approx([10 * limit for limit in upper])
    assert {panel.get_ylim() for panel in draw(made(), uniform=True).axes} == {lower}


def test_panels_are_named_in_order_and_the_axis_tells_distances():
    figure = draw(made(losses=("l1", "l2", "huber")))
    assert [panel.get_title("left") for panel in figure.axes] == [
        "ℓ1 refinement",
        "ℓ2 refinement",
        "huber refinement",
    ]
    assert figure.axes[0].get_title("right") == "67 % came closer, mean change −0.0050"
    labels = [label.get_text() for label in figure.axes[-1].get_xticklabels()]
    assert labels == ["0.500", "0.700", "0.900", "1.10", "1.30"]
    assert figure.axes[0].get_xlim() == (0, 200)


def test_bars_reach_from_zero_to_their_change():
    from matplotlib.colors import to_hex

    changes = made()
    panel = draw(changes).axes[0]
    values = changes.changes["l1"].values
    closer, farther = (
        next(part for part in panel.collections if part.get_label() == name)
        for name in ("came closer", "moved apart")
    )
    for bars, extreme, colour in ((closer, values.min(), CLOSER), (farther, values.max(), FARTHER)):
        heights = bars.get_paths()[0].vertices[:, 1]
        assert extreme in heights
        assert 0 in heights
        assert bars.get_rasterized()
        assert to_hex(bars.get_facecolor()[0]) == colour


@pytest.mark.parametrize("format", ["png", "svg", "pdf"])
def test_the_same_input_gives_the_same_bytes(tmp_path, format, monkeypatch):
    now = time.time()
    for name in ("one", "two"):
        save(draw(made()), tmp_path / name, format)
        monkeypatch.setattr(time, "time", lambda: now + 1e6)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_thousands_of_bars_make_no_large_vector_file(tmp_path):
    save(draw(made(5_000)), tmp_path / "figure.svg", "svg")
    content = (tmp_path / "figure.svg").read_text(encoding="utf-8")
    assert content.count("<image") == 2
    assert len(content) < 500_000


def test_the_settings_of_the_user_neither_matter_nor_change(tmp_path):
    import matplotlib

    save(draw(made()), tmp_path / "plain.png", "png")
    with matplotlib.rc_context({"axes.facecolor": "black", "font.size": 20}):
        save(draw(made()), tmp_path / "black.png", "png")
        assert matplotlib.rcParams["font.size"] == 20
    assert (tmp_path / "plain.png").read_bytes() == (tmp_path / "black.png").read_bytes()


def test_matplotlib_is_imported_late_and_pyplot_never():
    script = (
        "import sys, lexalign.cli.figure, lexalign.report.distance_figure as files\n"
        "assert 'matplotlib' not in sys.modules\n"
        "files.require_matplotlib()\n"
        "sys.exit('matplotlib.pyplot' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize("values", [[0.0], [0.0, 0.0, 0.0], [-0.1, -0.2]])
def test_few_pairs_and_no_change_can_be_drawn(tmp_path, values):
    changes = {"l1": Change(np.array(values), Misfit(1.0, 1.0), "done")}
    few = DistanceChange(
        [("a", "b")] * len(values), np.ones(len(values)), Misfit(1.0, 1.0), changes
    )
    save(draw(few), tmp_path / "few.png", "png")
    low, high = draw(few).axes[0].get_ylim()
    assert low < 0 < high


def test_missing_matplotlib_is_explained(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"Drawing a figure needs .*lexalign\[report\]"):
        draw(made())
