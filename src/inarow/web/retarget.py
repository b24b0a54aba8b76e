"""Compiled functions of the package for WebAssembly, from the code that Numba has for this machine.

Numba turns a function into LLVM's intermediate code. Here that code gets another target and is
optimised for it, several functions in one module. What a page cannot run is refused in one line: a
function that allocates, that raises, or that calls a library which the page does not have.

Code that was read from the cache has no intermediate form, and code that was optimised for one
processor differs from that of another. So modules are built in a process of their own, without a
cache and for the processor `generic` (`modules`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import llvmlite.binding as llvm
import numba

from inarow.game import InputError
from inarow.web.link import link

TRIPLE = "wasm32-unknown-unknown"
LAYOUT = "e-m:e-p:32:32-p10:8:8-p20:8:8-i64:64-i128:128-n32:64-S128-ni:1:10:20"
FEATURES = "+mutable-globals,+sign-ext,+nontrapping-fptoint,+bulk-memory"
VECTORS = "+simd128"  # for networks: half the time and size
# What `worker.js` hands in. A tree search asks for a logarithm only past its table of them, a
# learner for a power only where that of a schedule is above 65,536.
IMPORTS = {"exp", "expf", "log", "pow", "tanh", "numba_frexp", "numba_ldexp", "__multi3"}
MAX_DATA = 1 << 16  # bytes of constants: what lies above them is not theirs
PASSES = 3  # the optimisation level

Code = tuple[str, str]  # the symbol of a function, and a module of intermediate code that holds it


def code_of(function: Callable[..., object], arguments: Sequence[object]) -> Code:
    """What Numba makes of a function for arguments of such types.

    The one place here that reaches into Numba.
    """
    compiled: Any = getattr(function, "alone", function)
    kinds = tuple(numba.typeof(argument) for argument in arguments)
    try:
        compiled.compile(kinds)
        (made,) = compiled.overloads.values()
        return made.fndesc.mangled_name, made.library.get_llvm_str()
    except (AttributeError, ValueError, RuntimeError) as error:
        raise InputError(
            f"cannot build for a page with Numba {numba.__version__}, which gives no intermediate "
            f"code ({error}): what comes with the package works"
        ) from None


def build_module(codes: Mapping[str, Code], vectors: bool, section: bytes) -> bytes:
    """A module that exports these functions by name."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    exports = {symbol: name for name, (symbol, _) in codes.items()}
    features = f"{FEATURES},{VECTORS}" if vectors else FEATURES
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(opt=PASSES, features=features)
    whole = None
    for symbol, text in codes.values():
        _refuse(exports[symbol], text)
        part = llvm.parse_assembly(_for_page(text))
        for function in part.functions:
            if not function.is_declaration and function.name not in exports:
                function.linkage = "internal"
        if whole is None:
            whole = part
        else:
            whole.link_in(part)
    assert whole is not None
    tuning = llvm.create_pipeline_tuning_options(speed_level=PASSES)
    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(whole, builder)
    linked = link(machine.emit_object(whole), exports, section)
    if missing := sorted(set(linked.imports) - IMPORTS):
        raise InputError(f"a page cannot run this player: its code calls {', '.join(missing)}")
    return linked.module


def _for_page(text: str) -> str:
    """Intermediate code with another target, whatever processor it was made for."""
    text = re.sub(r'target datalayout = ".*"', f'target datalayout = "{LAYOUT}"', text)
    text = re.sub(r'target triple = ".*"', f'target triple = "{TRIPLE}"', text)
    text = re.sub(r'"target-(cpu|features)"="[^"]*"', "", text)
    return text.replace("= common ", "= internal ")  # which WebAssembly does not know


def _refuse(name: str, text: str) -> None:
    """Refuses what Numba's run time would be needed for, in a line."""
    if re.search(r"@NRT_(MemInfo_|Allocate|Reallocate)", text):
        raise InputError(f"a page cannot run this player: its function {name} allocates memory")
    if "picklebuf" in text:
        raise InputError(f"a page cannot run this player: its function {name} raises exceptions")
