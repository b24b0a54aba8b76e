"""Compiled code on disk: one file for each function and types of arguments, in a private folder.

Numba's own cache looks for its folder in a global setting, in the package and in the working
directory, and it unpickles what it finds there: whoever can write to one of them can have code
run. This one is told its folder (`cache_folder`), and reads nothing elsewhere. A file is named by
all that its code depends on, so processes that compile at the same time write the same bytes under
the same name (Numba keeps an index beside its files, which two processes can set at odds with each
other). What is damaged is compiled anew.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import re
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from numba.core import caching, compiler, config, serialize, sigutils
from numba.core.base import BaseContext
from numba.core.codegen import Codegen
from numba.core.types import Type
from numba.core.types.containers import BaseNamedTuple, BaseTuple
from numba.core.types.functions import Dispatcher
from numba.core.typing.templates import Signature

from inarow.engine.aside import wait_for
from inarow.engine.inlining import INTERMEDIATE, read_intermediate

CHECKSUM = 32  # bytes at the start of a file
MACHINE = "machine"  # code that is called; INTERMEDIATE is written into what calls it


class CodeCache(caching._Cache):  # type: ignore[misc]
    """The compiled code of one function, as Numba's dispatchers ask for it."""

    def __init__(self, function: Callable[..., object], folder: str, form: str) -> None:
        self._function, self._folder, self._form = function, Path(folder), form

    @property
    def cache_path(self) -> str:
        """The folder."""
        return str(self._folder)

    def load_overload(
        self, sig: Signature, target_context: BaseContext
    ) -> compiler.CompileResult | None:
        """The code for a signature; None if there is none."""
        target_context.refresh()
        path = self.path_for(sig, target_context.codegen())
        if path is not None:
            wait_for(path)
        try:
            content = path.read_bytes() if path else b""
        except OSError:
            return None
        if hashlib.sha256(content[CHECKSUM:]).digest() != content[:CHECKSUM]:
            return None
        read = read_intermediate if self._form == INTERMEDIATE else compiler.CompileResult._rebuild
        made = read(target_context, *pickle.loads(content[CHECKSUM:]))
        arguments, _ = sigutils.normalize_signature(sig)
        return made if tuple(made.signature.args) == tuple(arguments) else None

    def save_overload(self, sig: Signature, data: compiler.CompileResult) -> None:
        """Keeps the code for a signature, if the disk takes it."""
        path = self.path_for(sig, data.codegen)
        lifted = any(not part.can_cache for part in data.lifted)
        if path is None or lifted or data.library.has_dynamic_globals:
            return
        reduced = serialize.dumps(data._reduce())
        with suppress(OSError):
            handle, aside = tempfile.mkstemp(dir=self._folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(hashlib.sha256(reduced).digest() + reduced)
                Path(aside).replace(path)
            except OSError:
                Path(aside).unlink()

    def path_for(self, sig: Signature, codegen: Codegen) -> Path | None:
        """Where the code for a signature lies; None where that cannot be said."""
        arguments, _ = sigutils.normalize_signature(sig)
        try:
            named = [_name(self._function), *map(_describe, arguments)]
        except _UnknownError:
            return None
        text = repr((named, self._form, codegen.magic_tuple(), config.BOUNDSCHECK))
        if self._function.__closure__ or " at 0x" in text:
            return None  # it depends on what only this process has
        plain = re.sub(r"[^\w.]", "", self._function.__qualname__)
        return self._folder / f"{plain}-{hashlib.sha256(text.encode()).hexdigest()[:32]}.code"

    def enable(self) -> None:
        """It always is."""

    def disable(self) -> None:
        """It never is."""

    def flush(self) -> None:
        """Nothing is held back."""


def _describe(kind: Type) -> str:
    """A type of Numba's, with the modules of named tuples: several share a name."""
    if isinstance(kind, Dispatcher):
        raise _UnknownError  # such a type is that of one object, and read back it is another's
    if not isinstance(kind, BaseTuple):
        return str(kind)
    head = _name(kind.instance_class) if isinstance(kind, BaseNamedTuple) else ""
    return f"{head}({', '.join(map(_describe, kind))})"


def _name(thing: type | Callable[..., object]) -> str:
    """The full name of a function or class; with its source, where it is none of the package's.

    The digest of the package's own sources is in the name of the folder.
    """
    code = getattr(thing, "__code__", None)
    full = f"{thing.__module__}:{thing.__qualname__}:{code and code.co_firstlineno}"
    ours = thing.__module__.partition(".")[0] == __name__.partition(".")[0]
    return full if ours else f"{full} {_source_of(thing.__module__)}"


@lru_cache(maxsize=256)
def _source_of(module: str) -> str:
    """A digest of a module's file."""
    path = getattr(sys.modules.get(module), "__file__", None)
    if path is None or not Path(path).is_file():
        raise _UnknownError
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


class _UnknownError(Exception):
    """Code depends on something that cannot be named from one process to the next."""
