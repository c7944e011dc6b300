"""Charts by matplotlib as inline SVG: colours of the page, tooltips, one drawing a screen width.

A chart is drawn twice, for wide and for narrow screens, so that its text keeps its size on a phone.
Colours are placeholders that become CSS variables, so that a chart follows the light or dark
setting of the reader. Tooltips are ``title`` elements: they need no script.
"""

from __future__ import annotations

import re
import warnings
import zlib
from collections.abc import Callable
from io import StringIO
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from lexalign.libraries import require
from lexalign.report.blocks import Chart
from lexalign.report.page_text import clean

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDE, NARROW = 720, 324
PIXELS = 72
# Placeholder colours, and the CSS variables of ``report.css`` that take their place.
INK, FAINT, RULE, GOOD, BAD = (f"#00000{number}" for number in range(1, 6))
PLAIN, ON_COLOUR = "#000006", "#000007"
SERIES = tuple(f"#00010{number}" for number in range(6))
VARIABLES = {
    INK: "--ink",
    FAINT: "--faint",
    RULE: "--rule",
    GOOD: "--good",
    BAD: "--bad",
    PLAIN: "--plain",
    ON_COLOUR: "--on-colour",
    **{colour: f"--series-{number}" for number, colour in enumerate(SERIES, 1)},
}
SETTINGS: dict[Any, Any] = {
    "axes.edgecolor": RULE,
    "axes.labelcolor": INK,
    "axes.labelsize": 13,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "font.size": 13,
    "grid.color": RULE,
    "grid.linewidth": 0.8,
    "legend.frameon": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "lexalign",
    "text.color": INK,
    "text.parse_math": False,  # a name may hold dollar signs
    "xtick.color": RULE,
    "xtick.labelcolor": FAINT,
    "ytick.color": RULE,
    "ytick.labelcolor": INK,
}
_FONT = re.compile(r"font-family: [^;\"]*;? ?")
_DIGITS = re.compile(r"(\.\d\d)\d+")
_REFERENCE = re.compile(r"#((?:[mp])[0-9a-f]{10})\b")


class Tips:
    """The tooltips of one drawing."""

    def __init__(self) -> None:
        self.texts = dict[str, str]()

    def add(self, artist: Any, text: str) -> None:
        """Show a text when the pointer is on an artist."""
        name = f"tip{len(self.texts)}"
        self.texts[name] = text
        artist.set_gid(name)


Painter = Callable[["Axes", Tips, bool], None]


def require_drawing() -> None:
    """Raise MissingExtraError if matplotlib is not installed; worth asking before long work."""
    require("matplotlib", "jinja2", feature="The report", extra="report")


def draw_chart(title: str, summary: str, paint: Painter, *, height: int, narrow: int = 0) -> Chart:
    """Draw a chart for wide and for narrow screens.

    Parameters
    ----------
    title, summary : str
        What the chart shows, and what to see in it.
    paint : callable
        Paints into axes; also gets the tooltips, and whether the screen is narrow.
    height : int
        Its height in pixels.
    narrow : int
        Its height on narrow screens, if it is another one.
    """
    label = clean(f"{title}. {summary}")
    drawings = [
        _svg(paint, (width, pixels), width == NARROW, label)
        for width, pixels in ((WIDE, height), (NARROW, narrow or height))
    ]
    return Chart(title, summary, *drawings)


def _svg(paint: Painter, size: tuple[int, int], is_narrow: bool, label: str) -> str:
    import matplotlib
    from matplotlib.figure import Figure

    tips, file = Tips(), StringIO()
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from")  # the browser has the font
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(SETTINGS)
        figure = Figure(figsize=(size[0] / PIXELS, size[1] / PIXELS))
        figure.set_layout_engine("constrained")
        paint(figure.subplots(), tips, is_narrow)
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
    return _inline(clean(file.getvalue()), tips, label)


def _inline(content: str, tips: Tips, label: str) -> str:
    """The drawing without what a page has already, with variables, tooltips and names of its own.

    Names that the drawing refers to must be unique among all charts of a page.
    """
    root, chart = ElementTree.fromstring(content), f"c{zlib.crc32(content.encode()):08x}"
    for name in ("width", "height", "version"):
        del root.attrib[name]
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        element.text = element.text.strip() if element.text and element.text.strip() else None
        element.tail = None
        _simplify(element, chart, tips)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in ("metadata", "style") or (child.tag == "defs" and not len(child)):
                parent.remove(child)
    root.set("role", "img")
    root.set("aria-label", label)
    return ElementTree.tostring(root, encoding="unicode")


def _simplify(element: ElementTree.Element, chart: str, tips: Tips) -> None:
    attributes = element.attrib
    for name in [name for name in attributes if name.startswith("{")]:
        attributes[name.rpartition("}")[2]] = attributes.pop(name)
    if name := attributes.pop("id", ""):
        if re.fullmatch(r"[mp][0-9a-f]{10}", name):
            attributes["id"] = f"{chart}{name}"
        elif name in tips.texts:
            attributes["class"] = "tip"
            title = ElementTree.Element("title")
            title.text = clean(tips.texts[name])
            element.insert(0, title)
    for key, value in list(attributes.items()):
        if key in ("d", "x", "y", "transform", "style", "points"):
            value = _DIGITS.sub(r"\1", value.replace("\n", ""))
        if key == "style":
            value = _FONT.sub("", value)
            for colour, variable in VARIABLES.items():
                value = value.replace(colour, f"var({variable})")
        if key in ("href", "clip-path"):
            value = _REFERENCE.sub(rf"#{chart}\1", value)
        attributes[key] = value
