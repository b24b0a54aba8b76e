"""Fields of forms: what somebody typed, checked."""

from __future__ import annotations

from typing import Any

from inarow.game import InputError


def whole(field: Any) -> int:
    """A whole number from a field that may hold anything."""
    try:
        return int(field.value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{field.label}: say a whole number") from None
