"""Passages of a Python module: docstrings, and texts of several words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tools.prose.passage import STAND_IN, Passage

_FEWEST_WORDS = 3
_WORD = re.compile(r"[A-Za-z]{2,}")
_MARKUP = re.compile(r"(``.+?``|`[^`]+`)", re.DOTALL)
_DEFINITIONS = ("Parameters", "Returns", "Yields", "Raises", "Attributes", "Other Parameters")
_LEFT_OUT = ("References",)
_ITEM = re.compile(r"^\s*(?:[-*]|\d+\.|\.\.)\s")
_RULE = re.compile(r"\s*-{3,}\s*$")
_TABLE = re.compile(r"\S {3,}\S")
_CITATION = re.compile(r"\.\s(?:19|20)\d\d[ab]?\.\s")
_COMMAND = re.compile(r"\n {2,}[^\n]*")
_SENTENCE_END = re.compile(r"[.!?:;](?:\s|$)")
_PATTERN_CALLS = ("compile", "search", "sub", "match", "fullmatch", "findall", "finditer")


def passages_of_python(content: str) -> list[Passage]:
    """Return the docstrings and the texts of three words or more in a module."""
    tree = ast.parse(content)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and ast.get_docstring(node, clean=False) is not None
        and isinstance(node.body[0], ast.Expr)
    }
    return list(_Texts(docstrings).of(tree))


class _Texts:
    """Walks through a module and joins the parts of a text."""

    def __init__(self, docstrings: set[int]) -> None:
        self._docstrings = docstrings

    def of(self, node: ast.AST, is_message: bool = False) -> Iterator[Passage]:
        if id(node) in self._docstrings or _is_bare_text(node):
            constant = node.value if isinstance(node, ast.Expr) else node
            assert isinstance(constant, ast.Constant)
            yield from passages_of_docstring(str(constant.value), constant.lineno)
            return
        if isinstance(node, ast.Call) and _name(node.func) in _PATTERN_CALLS:
            return
        text = _joined(node)
        if text is not None:
            if _is_sentence(text):
                yield Passage(_line(node), _without_code(text), is_message=is_message)
            yield from self._of_placeholders(node, is_message)
            return
        is_message = is_message or isinstance(node, ast.Raise) or _makes_message(node)
        for child in ast.iter_child_nodes(node):
            yield from self.of(child, is_message)

    def _of_placeholders(self, node: ast.AST, is_message: bool) -> Iterator[Passage]:
        """Texts inside the braces of an f-string, which are parts of its sentence."""
        for part in ast.walk(node):
            if isinstance(part, ast.FormattedValue):
                for child in ast.iter_child_nodes(part.value):
                    yield from self.of(child, is_message)


def passages_of_docstring(text: str, line: int) -> Iterator[Passage]:
    """Yield the paragraphs of a NumPy docstring, without code, entries and references."""
    lines = text.expandtabs().split("\n")
    margin = min((_indent(one) for one in lines[1:] if one.strip()), default=0)
    section, is_code, paragraph = "", False, list[str]()
    first = line

    def flushed() -> Iterator[Passage]:
        joined = "\n".join(paragraph)
        if joined.strip():
            yield Passage(first, _without_code(joined))
        paragraph.clear()

    for number, raw in enumerate(lines):
        one = raw if number == 0 else raw[margin:]
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if _RULE.match(following) and one.strip():
            yield from flushed()
            section = one.strip()
            continue
        if not one.strip() or _RULE.match(one):
            yield from flushed()
            is_code = False
            continue
        is_entry = section in _DEFINITIONS and not one.startswith(" ")
        if one.lstrip().startswith(">>>"):
            is_code = True
        if (
            is_code
            or is_entry
            or _TABLE.search(one)
            or section in _LEFT_OUT
            or _is_block(one, section, paragraph)
        ):
            yield from flushed()
            continue
        if _ITEM.match(one):
            yield from flushed()
        if not paragraph:
            first = line + number
        paragraph.append(_ITEM.sub("", one, count=1).strip())
    yield from flushed()


def _is_block(line: str, section: str, paragraph: list[str]) -> bool:
    """Whether this indented line is code or a formula."""
    deep = 8 if section in _DEFINITIONS else 4
    return _indent(line) >= deep and not paragraph and not _ITEM.match(line)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _joined(node: ast.AST) -> str | None:
    """The text of a literal, with a stand-in for each value; None for anything else."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        parts = (_joined(part) if isinstance(part, ast.Constant) else None for part in node.values)
        return "".join(STAND_IN if part is None else part for part in parts)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _joined(node.left), _joined(node.right)
        if left is None and right is None:
            return None
        return (STAND_IN if left is None else left) + (STAND_IN if right is None else right)
    return None


def _is_sentence(text: str) -> bool:
    """Whether people read this text; not so for a citation, and for data in several lines."""
    is_data = "\n" in text.strip() and not _SENTENCE_END.search(text)
    has_words = " " in text and len(_WORD.findall(text)) >= _FEWEST_WORDS
    return has_words and not is_data and not _CITATION.search(text)


def _without_code(text: str) -> str:
    """The text with one word for each piece of code; its line ends stay."""
    text = _COMMAND.sub("\n\n", text)
    return _MARKUP.sub(lambda found: STAND_IN + "\n" * found[0].count("\n"), text)


def _is_bare_text(node: ast.AST) -> bool:
    """Whether this is the docstring of an attribute."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _makes_message(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    name = _name(node.func)
    return name.endswith(("Error", "Warning")) or name in ("warn", "warning")


def _name(node: ast.AST) -> str:
    return str(getattr(node, "attr", None) or getattr(node, "id", ""))


def _line(node: ast.AST) -> int:
    return int(getattr(node, "lineno", 1))
