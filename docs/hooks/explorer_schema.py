"""The interface of the explorer: its OpenAPI document as a file, and as tables on its page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from lexalign.explore.schema import SCHEMA

PAGE = "reference/explorer-api.md"
DOCUMENT = "reference/explorer-openapi.json"
MARK = "<!-- the tables of the interface -->"
BOUNDS = {
    "minimum": "at least",
    "maximum": "at most",
    "minItems": "at least",
    "maxItems": "at most",
    "minLength": "length at least",
    "maxLength": "length at most",
}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the OpenAPI document."""
    text = json.dumps(SCHEMA, indent=1) + "\n"
    files.append(File.generated(config, DOCUMENT, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Put the tables where the page has its mark."""
    if page.file.src_uri != PAGE:
        return markdown
    return markdown.replace(MARK, "\n".join([*_requests(), *_shapes()]))


def _requests() -> Iterator[str]:
    yield "## Requests\n"
    for path, methods in SCHEMA["paths"].items():
        for method, request in methods.items():
            yield f"### {method.upper()} {path}\n\n{request['summary']}\n"
            if parameters := request.get("parameters"):
                yield "| parameter | type | default | meaning |\n|---|---|---|---|"
                for one in parameters:
                    schema = one["schema"]
                    default = f"`{schema['default']}`" if "default" in schema else ""
                    needed = " (required)" if one["required"] else ""
                    text = one["description"]
                    yield f"| `{one['name']}` | {_type(schema)} | {default} | {text}{needed} |"
                yield ""
            if body := request.get("requestBody"):
                for kind, content in body["content"].items():
                    yield f"Body, `{kind}`: {_type(content['schema'])}.\n"
            for kind, content in request["responses"]["200"]["content"].items():
                yield f"Answer, `{kind}`: {_type(content['schema'])}.\n"


def _shapes() -> Iterator[str]:
    yield "## Answers\n"
    for name, shape in SCHEMA["components"]["schemas"].items():
        yield f"### {name}\n"
        if "properties" not in shape:
            yield f"{_type(shape)}\n"
            continue
        yield "| key | type |\n|---|---|"
        for key, value in shape["properties"].items():
            optional = "" if key in shape.get("required", ()) else ", may be missing"
            yield f"| `{key}` | {_type(value)}{optional} |"
        yield ""


def _type(schema: dict[str, Any]) -> str:
    """A type in words."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(_type(one) for one in schema["anyOf"])
    if "enum" in schema:
        return ", ".join(f"`{choice}`" for choice in schema["enum"])
    kind = schema.get("type", "any value")
    if kind == "array":
        return f"list of {_type(schema['items'])}" + _bounds(schema, "minItems", "maxItems")
    if kind == "object" and "properties" in schema:
        return "object with " + ", ".join(
            f"`{key}` ({_type(value)})" for key, value in schema["properties"].items()
        )
    return str(kind) + _bounds(schema, "minimum", "maximum", "minLength", "maxLength")


def _bounds(schema: dict[str, Any], *names: str) -> str:
    found = [f"{BOUNDS[name]} {schema[name]:,}" for name in names if name in schema]
    return f", {', '.join(found)}" if found else ""
