"""Fields of forms: what somebody typed, checked."""

from __future__ import annotations

import re
from typing import Any

from nicegui import ui

from inarow.game import InputError


def number_field(label: str, mark: str, value: int | str) -> Any:
    """A field for a whole number: as text, so that nothing typed is rounded or cut on its way."""
    field = ui.input(label, value=str(value)).classes("w-full")
    return field.props(f'dense outlined inputmode="numeric" data-testid="{mark}"')


def whole(field: Any) -> int:
    """A whole number from a field that may hold anything."""
    text = re.sub(r"[\s,_]", "", str(field.value or ""))
    if not re.fullmatch(r"-?[0-9]{1,18}", text):
        said = f", not {text[:30]!r}" if text else ""
        raise InputError(f"{field.label}: say a whole number of at most 18 digits{said}")
    return int(text)
