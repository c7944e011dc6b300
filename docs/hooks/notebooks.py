"""Show the notebooks with their stored outputs; ``tests/test_notebooks.py`` executes them."""

from __future__ import annotations

import base64
import json
from pathlib import Path, PurePosixPath
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

NOTE = """

[Download this page as a notebook]({name}) to run it yourself.
"""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page and the images of every notebook."""
    for file in [one for one in files if one.src_uri.endswith(".ipynb")]:
        path = PurePosixPath(file.src_uri)
        cells = json.loads(Path(file.abs_src_path or "").read_text("utf-8"))["cells"]
        text: list[str] = []
        for number, cell in enumerate(cells):
            source = "".join(cell["source"])
            if cell["cell_type"] == "markdown":
                text.append(source + (NOTE.format(name=path.name) if number == 0 else ""))
                continue
            text.append(f"```python\n{source}\n```")
            for place, output in enumerate(cell["outputs"]):
                image = f"{path.stem}-{number}-{place}.png"
                text.append(_shown(output, image))
                if "image/png" in output.get("data", {}):
                    content = base64.b64decode(output["data"]["image/png"])
                    at = str(path.with_name(image))
                    files.append(File.generated(config, at, content=content))
        page = str(path.with_suffix(".md"))
        files.append(File.generated(config, page, content="\n\n".join(text) + "\n"))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let links to a notebook lead to its page."""
    is_notebook = PurePosixPath(page.file.src_uri).with_suffix(".ipynb")
    if files.get_file_from_path(str(is_notebook)):
        return markdown
    return markdown.replace(".ipynb)", ".md)")


def _shown(output: dict[str, Any], image: str) -> str:
    """One output as Markdown."""
    data = output.get("data", {})
    if "image/png" in data:
        return f"![What the code above draws]({image})"
    return "```text\n" + "".join(output.get("text") or data["text/plain"]).rstrip() + "\n```"
