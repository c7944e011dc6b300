"""The site and the files of the repository that are not a part of it.

The changelog becomes a page. A link from a page to another file of the repository becomes the path
of that file, as the site does not hold it. A link to a file that does not exist is a warning, and
so an error of a strict build.
"""

from __future__ import annotations

import logging
import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

CHANGELOG = "changelog.md"
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)#\s]+)(#[^)\s]*)?\)")

log = logging.getLogger("mkdocs.hooks.repository")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the changelog."""
    text = _root(config).joinpath("CHANGELOG.md").read_text("utf-8")
    files.append(File.generated(config, CHANGELOG, content=LINK.sub(_as_from_docs, text)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Write the path where a link leads out of the site."""

    def outside(link: re.Match[str]) -> str:
        text, target = link[1], link[2]
        if "://" in target or target.startswith("mailto:"):
            return link[0]
        path = posixpath.normpath(posixpath.join("docs", page.file.src_uri, "..", target))
        if path.startswith("docs/"):
            return link[0]
        if not (_root(config) / path).exists():
            log.warning("%s links to %s, which does not exist.", page.file.src_uri, path)
        named = text.strip("`") in (path, Path(path).stem, Path(path).name)
        return f"`{path}`" if named else f"{text} (`{path}`)"

    return LINK.sub(outside, markdown)


def _as_from_docs(link: re.Match[str]) -> str:
    """A link of a file in the root, for a page in docs."""
    text, target, anchor = link[1], link[2], link[3] or ""
    if "://" not in target:
        target = posixpath.relpath(target, "docs")
    return f"[{text}]({target}{anchor})"


def _root(config: MkDocsConfig) -> Path:
    return Path(config.config_file_path).parent
