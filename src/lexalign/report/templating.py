"""The page from its templates: Jinja2 with escaping on, so that no word becomes markup."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lexalign.libraries import load
from lexalign.report.blocks import Page
from lexalign.report.page_text import NO_BREAK, clean

if TYPE_CHECKING:
    from jinja2 import Environment

# Nothing may be loaded or run: styles are in the page, and there is no script at all.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_NUMBER_AND_UNIT = re.compile(r"(?<=\d) (?=%)")


def render_page(page: Page) -> str:
    """The page as HTML."""
    return _environment().get_template("page.html").render(page=page, policy=POLICY)


def _environment() -> Environment:
    """Templates of this package; an undefined name is an error, and every text is cleaned."""
    jinja2 = load("jinja2", feature="The report", extra="report")
    made: Environment = jinja2.Environment(
        loader=jinja2.PackageLoader("lexalign.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )
    return made


def _finalize(value: Any) -> Any:
    """Clean every text that a template writes, and keep numbers beside their unit.

    Our own markup is of another type.
    """
    return _NUMBER_AND_UNIT.sub(NO_BREAK, clean(value)) if type(value) is str else value
