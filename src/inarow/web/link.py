"""LLVM's object file for WebAssembly as a module, without a linker.

An object that is linked alone has its code, data and indices in their final places already. What
it lacks is a section of exports; what it has too much is for the linker: the symbols, by which the
exports are found, and relocations. The stack pointer, the memory and the table of functions stay
imports of `env`, which the page hands in.

    magic, version; sections of: u8 kind, leb size, content
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

MAGIC = b"\0asm\1\0\0\0"
CUSTOM, IMPORT, EXPORT = 0, 2, 7
# Kinds of sections in the order that modules have them: tags lie before globals, a count of data
# segments before code.
ORDER = (1, 2, 3, 4, 5, 13, 6, 7, 8, 9, 12, 10, 11)
FUNCTION_SYMBOL, DATA_SYMBOL, SECTION_SYMBOL = 0, 1, 3
UNDEFINED, EXPLICIT_NAME = 0x10, 0x40  # flags of a symbol
SYMBOL_TABLE = 8
FUNCTION_IMPORT, TABLE_IMPORT, MEMORY_IMPORT, GLOBAL_IMPORT = range(4)


class Linked(NamedTuple):
    """A module, and the functions that it wants from the page."""

    module: bytes
    imports: list[str]


class _Reader:
    """Reads numbers and names one after the other."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def number(self) -> int:
        """An unsigned number in groups of seven bits, the lowest first."""
        result = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            result |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return result

    def take(self, count: int) -> bytes:
        """So many bytes."""
        self.at += count
        return self.data[self.at - count : self.at]

    def name(self) -> str:
        """A text with its length before it."""
        return self.take(self.number()).decode()

    @property
    def more(self) -> bool:
        """Whether anything is left."""
        return self.at < len(self.data)


def link(code: bytes, exports: Mapping[str, str], section: bytes) -> Linked:
    """The module of an object; `exports` are names by symbol, `section` goes in as `inarow`."""
    sections = list(_sections(code))
    linking = next(data for kind, data in sections if kind == CUSTOM and data[1:8] == b"linking")
    functions = _function_symbols(linking)
    entries = [_name(new) + b"\0" + _number(functions[old]) for old, new in exports.items()]
    kept = [(kind, data) for kind, data in sections if kind != CUSTOM]
    kept.append((EXPORT, _number(len(entries)) + b"".join(entries)))
    kept.sort(key=lambda part: ORDER.index(part[0]))
    kept.append((CUSTOM, _name("inarow") + section))
    module = MAGIC + b"".join(bytes([k]) + _number(len(data)) + data for k, data in kept)
    wanted = [_imports(data) for kind, data in sections if kind == IMPORT]
    return Linked(module, [name for names in wanted for name in names])


def _sections(code: bytes) -> Iterator[tuple[int, bytes]]:
    reader = _Reader(code)
    assert reader.take(len(MAGIC)) == MAGIC, "this is not WebAssembly"
    while reader.more:
        kind = reader.take(1)[0]
        yield kind, reader.take(reader.number())


def _function_symbols(linking: bytes) -> dict[str, int]:
    """The numbers of functions by their symbols, from the section `linking`."""
    reader, found = _Reader(linking), dict[str, int]()
    reader.name()
    assert reader.number() == 2, "unknown version of the section `linking`"
    while reader.more:
        kind = reader.take(1)[0]
        table = _Reader(reader.take(reader.number()))
        if kind != SYMBOL_TABLE:
            continue
        for _ in range(table.number()):
            symbol = table.take(1)[0]
            flags = table.number()
            if symbol == DATA_SYMBOL:
                table.name()
                if not flags & UNDEFINED:
                    table.number(), table.number(), table.number()  # segment, offset, size
            else:
                index = table.number()
                named = symbol != SECTION_SYMBOL and (
                    not flags & UNDEFINED or flags & EXPLICIT_NAME
                )
                name = table.name() if named else ""
                if symbol == FUNCTION_SYMBOL and name:
                    found[name] = index
    return found


def _imports(data: bytes) -> Iterator[str]:
    """The functions that an object imports."""
    reader = _Reader(data)
    for _ in range(reader.number()):
        reader.name()
        name, kind = reader.name(), reader.take(1)[0]
        if kind == FUNCTION_IMPORT:
            reader.number()
            yield name
        elif kind == GLOBAL_IMPORT:
            reader.take(2)
        else:  # a table has a type; both have limits: flags, the least, and perhaps the most
            if kind == TABLE_IMPORT:
                reader.take(1)
            limits = reader.number()
            reader.number()
            if limits & 1:
                reader.number()


def _number(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def _name(text: str) -> bytes:
    return _number(len(text.encode())) + text.encode()
