"""All text that users read: pages, help, the reference, error messages, labels of the browser."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from functools import cache, cached_property

from tests.pages import DOCS, ROOT, markdown_files, prose

MARKUP = re.compile(r"[<{};=]")  # HTML, CSS, scripts
CLASSES = re.compile(r"[a-z0-9]+(?:[-:/.][-a-z0-9:/.\[\]]*)?")  # of style sheets, and media types
QUERY = re.compile(r"\b(?:SELECT|INSERT|CREATE|UPDATE|DELETE|PRAGMA|WHERE|BEGIN)\b")
PACKAGE = ROOT / "src" / "inarow"


@cache
def hooks() -> dict[str, str]:
    """The pages that are written while the site is built, by their address in docs."""
    sys.path.insert(0, str(DOCS / "hooks"))
    try:
        import site_pages
    finally:
        sys.path.pop(0)
    return site_pages.pages()


def pages() -> Iterator[tuple[str, str]]:
    """The prose of every page."""
    for path in markdown_files():
        yield str(path.relative_to(ROOT)), prose(path.read_text(encoding="utf-8"))
    for address, text in hooks().items():
        yield f"docs/{address}", prose(text)


def help_texts() -> Iterator[tuple[str, str]]:
    """What each command says of itself and of its options."""
    hooks()
    from command_page import commands

    yield from commands()


def references() -> Iterator[tuple[str, str]]:
    """What the reference shows of Python: the docstrings of all that its pages name."""
    for path in markdown_files():
        for name in re.findall(r"^::: (\S+)$", path.read_text(encoding="utf-8"), re.MULTILINE):
            module, _, own = name.rpartition(".")
            found = getattr(importlib.import_module(module), own, None)
            found = importlib.import_module(name) if found is None else found
            parts = {name: found, **(vars(found) if inspect.isclass(found) else {})}
            for part, one in parts.items():
                shown = part == name or not part.startswith("_")
                text = inspect.getdoc(getattr(one, "func", one)) if shown else None
                if text and (callable(one) or isinstance(one, property | cached_property)):
                    yield f"{name}: {part}", prose(text)


def messages() -> Iterator[tuple[str, str]]:
    """What errors say, and all other sentences in the source: labels, verdicts, descriptions."""
    for path in sorted(PACKAGE.rglob("*.py")):
        where = str(path.relative_to(ROOT))
        for text in sentences(path.read_text(encoding="utf-8")):
            yield where, text


def sentences(source: str) -> list[str]:
    """The strings of a module that somebody reads: no docstrings, markup, queries or code."""
    return [text for text in _strings(_without_docstrings(ast.parse(source))) if _is_prose(text)]


def _is_prose(text: str) -> bool:
    words = text.split()
    classes = any(set("-:/[") & set(word) for word in words) and all(map(CLASSES.fullmatch, words))
    return not (MARKUP.search(text) or QUERY.search(text) or classes)


def _strings(tree: ast.AST) -> Iterator[str]:
    """String constants with a space: names and keys have none."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.value


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                first.value.value = ""
    return tree


def all_texts() -> list[tuple[str, str]]:
    """Everything, with the place it comes from."""
    return [*pages(), *help_texts(), *references(), *messages()]
