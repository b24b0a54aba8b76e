"""What is known of Numba's inside: the only module that uses more than Numba documents.

It makes compiling faster and changes neither results nor the speed of what is compiled. `jit` uses
it with the versions of Numba that it is tried with (`make versions`), and else `numba_public`.

*Events.* Whoever waits for a compilation is told, and garbage is not collected meanwhile.

*Inlined code.* Numba makes machine code of every function, with a way in from Python, before it is
linked into its callers; what they call is optimised again with each of them. Small functions of
loops need none of it: here they stay as the compiler's intermediate code, and are optimised with
the loop that they are written into. (Measured: half of the compile time.) Called from Python, as
tests and set-ups do, such a function is compiled like any other.

*Code on disk.* There is one file for each function and types of arguments, in a private folder.
Numba's own cache looks for its folder in a global setting, in the package and in the working
directory, and it unpickles what it finds there: whoever can write to one of them can have code
run. Its index also names types of modules that another process may be unable to import, and two
processes can set it at odds with its files. Here a file is named by all that its code depends on,
so processes that compile at the same time write the same bytes under the same name. What is
damaged is compiled anew.

*Dispatch by type.* A function of compiled loops is chosen by the type of an argument, when a loop
that calls it is compiled.

*Entry points.* A compiled loop is made anew for every combination of types that it is called with.
Where it works on things of many kinds, each kind gets an entry point instead: a function of an
address, at which its data lies, and of one number. The loop calls it through its own address, and
is compiled once.
"""

from __future__ import annotations

import gc
import hashlib
import os
import pickle
import re
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from inspect import signature
from pathlib import Path
from typing import Any, TypeVar

import numba
from llvmlite import binding, ir
from numba.core import (
    caching,
    cgutils,
    compiler,
    config,
    cpu,
    event,
    options,
    serialize,
    sigutils,
    types,
)
from numba.core.base import BaseContext
from numba.core.codegen import Codegen, JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import _FunctionCompiler  # type: ignore[attr-defined]
from numba.core.errors import NumbaError
from numba.core.registry import CPUDispatcher
from numba.core.types import Function as FunctionType
from numba.core.types import Type
from numba.core.types.containers import BaseNamedTuple, BaseTuple
from numba.core.types.functions import Dispatcher
from numba.core.types.misc import unliteral
from numba.core.typing.context import BaseContext as TypingContext
from numba.core.typing.templates import AbstractTemplate, Signature, infer_global
from numba.extending import intrinsic

from inarow.engine.code_folder import ImportingError, digest_of_imports, watchers
from inarow.game import InputError

Function = TypeVar("Function", bound=Callable[..., object])


class _Watch(event.Listener):  # type: ignore[misc]
    """Tells watchers of compilations; one that another asks for is a part of that.

    Python's search for cyclic garbage rests meanwhile: a compiler makes millions of objects that
    stay (measured: a tenth of the compile time).
    """

    def __init__(self) -> None:
        self.depth = 0
        self.collecting = False  # before

    def on_start(self, _: event.Event) -> None:
        self.depth += 1
        if self.depth == 1:
            self.collecting = gc.isenabled()
            gc.disable()
        self._tell(begins=True)

    def on_end(self, _: event.Event) -> None:
        self._tell(begins=False)
        self.depth -= 1
        if self.depth == 0 and self.collecting:
            gc.enable()

    def _tell(self, begins: bool) -> None:
        if self.depth == 1:
            for watch in watchers:
                watch(begins)


event.register("numba:compile", _Watch())

# Numba knows that arguments may be said not to overlap, but has no option to say so.
cpu.CPUTargetOptions.noalias = options.TargetOptions.Mapping("noalias")

INTERMEDIATE, MACHINE = "intermediate", "machine"  # forms of stored code: to be inlined, to be run


def compile_function(
    function: Callable[..., object], folder: str | None, for_callers: bool, **chosen: object
) -> Any:
    """Return a compiled function; its code is kept in a folder, if there is one.

    One that is `for_callers` is compiled into them, and on its own only if Python calls it.
    """
    decorated: Any = numba.njit(
        nogil=True,
        error_model="numpy",
        _nrt=False,
        no_cfunc_wrapper=True,  # C never calls them (measured: a tenth of the compile time)
        **chosen,
    )(function)
    if not isinstance(decorated, CPUDispatcher):
        return decorated  # where Numba is told not to compile
    compiled = Compiled(function, {}, decorated.targetoptions)
    keep(compiled, folder, MACHINE)
    if not for_callers:
        return compiled
    inlined = Inlined(function, {}, decorated.targetoptions)
    inlined.alone = compiled
    keep(inlined, folder, INTERMEDIATE)
    return inlined


def keep(compiled: Any, folder: str | None, form: str) -> None:
    """Keep the code of a function in a folder, if there is one."""
    if folder is not None:
        compiled._cache = CodeCache(compiled.py_func, folder, form)


# Inlined code


class IntermediateCode(JITCodeLibrary):  # type: ignore[misc]
    """Code to be linked into that of callers; it has no machine code of its own."""

    optimised = False  # before it is linked

    def _optimize_final_module(self) -> None:
        if self.optimised:
            super()._optimize_final_module()

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def serialize_using_object_code(self) -> tuple[str, str, bytes]:
        """Return what is stored of the intermediate code."""
        self._ensure_finalized()
        return self.name, INTERMEDIATE, self._final_module.as_bitcode()


class _ForCallers(_FunctionCompiler):  # type: ignore[misc]
    """Compiles a function to intermediate code."""

    def _compile_core(self, args: tuple[Type, ...], return_type: Type) -> compiler.CompileResult:
        flags = compiler.Flags()
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        flags.no_cpython_wrapper = flags.no_cfunc_wrapper = flags.no_compile = True
        context = self.targetdescr.target_context
        library = IntermediateCode(context.codegen(), self.py_func.__qualname__)
        # Sums in any order get theirs here, not from the loops that they are written into.
        library.optimised = bool(self.targetoptions.get("fastmath"))
        made = compiler.compile_extra(
            self.targetdescr.typing_context,
            context,
            self.py_func,
            args=args,
            return_type=return_type,
            flags=flags,
            locals=self.locals,
            library=library,
            pipeline_class=self.pipeline_class,
        )
        made = made._replace(entry_point=object())  # by which callers find it
        context.insert_user_function(made.entry_point, made.fndesc, [library])
        return made


COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class NotCompiledError(InputError, NumbaError):
    """A function cannot be compiled: of the package's only where a part of one's own is in it."""


def innermost(message: str) -> str:
    """The reason in a message of Numba, and the line of code that it is about."""
    text = COLOUR.sub("", message)
    place = re.search(r'File "([^"]+)", line (\d+):', text)
    if place is None:
        return " ".join(text.split())[:300]
    last_step = text[: place.start()].rpartition("(step: ")[2]
    reason = " ".join((last_step.partition(")")[2] or last_step).split())
    return f"{reason[:300]} ({Path(place[1]).name}, line {place[2]})"


class Compiled(CPUDispatcher):  # type: ignore[misc]
    """A compiled function. To compiled callers, a constant is a number like any other."""

    def _compile_for_args(self, *args: object, **kws: object) -> object:
        """Compile what Python calls; what cannot be compiled is said without Numba's inside."""
        try:
            return super()._compile_for_args(*args, **kws)
        except NotCompiledError:
            raise
        except NumbaError as error:
            raise NotCompiledError(f"it cannot be compiled: {innermost(str(error))}") from None

    def get_call_template(self, args: tuple[Type, ...], kws: dict[str, Type]) -> object:
        """What callers call: it needs no code of its own for each constant."""
        plain = {name: unliteral(kind) for name, kind in kws.items()}
        return super().get_call_template(tuple(map(unliteral, args)), plain)


class Inlined(Compiled):
    """A function for compiled callers; `alone` is the same for Python."""

    alone: Any  # a dispatcher like any other

    def __init__(self, py_func: Any, locals: Any = None, targetoptions: Any = None) -> None:  # noqa: A002
        super().__init__(py_func, locals, targetoptions)
        self._compiler = _ForCallers(
            py_func, self.targetdescr, self.targetoptions, self.locals, compiler.Compiler
        )

    def add_overload(self, made: compiler.CompileResult) -> None:
        """Keep what was compiled for callers: Python cannot call it."""
        self.overloads[tuple(made.signature.args)] = made

    @global_compiler_lock  # type: ignore[untyped-decorator]
    def _compile_for_args(self, *args: object, **kws: object) -> object:
        """Compile what Python calls; found here from the second call on."""
        known = len(self.alone.overloads)
        entry = self.alone._compile_for_args(*args, **kws)
        for kinds, made in list(self.alone.overloads.items())[known:]:
            self._insert([kind._code for kind in kinds], made.entry_point, False)
        return entry


def read_intermediate(context: BaseContext, *stored: Any) -> compiler.CompileResult:
    """What `CompileResult._reduce` has stored of intermediate code."""
    (name, _, code), fndesc, environment, signature, *_ = stored
    library = IntermediateCode(context.codegen(), name)
    library._final_module = binding.parse_bitcode(code)
    library._finalized = True
    known = dict.fromkeys(compiler.CR_FIELDS)
    return compiler.CompileResult(
        **known
        | {
            "typing_context": context.typing_context,
            "target_context": context,
            "entry_point": object(),
            "library": library,
            "environment": environment,
            "fndesc": fndesc,
            "signature": signature,
            "objectmode": False,
            "lifted": (),
            "reload_init": [],
            "referenced_envs": (),
        }
    )


# Code on disk

CHECKSUM = 32  # bytes at the start of a file


class CodeCache(caching._Cache):  # type: ignore[misc]
    """The compiled code of one function, as Numba's dispatchers ask for it."""

    def __init__(self, function: Callable[..., object], folder: str, form: str) -> None:
        self._function, self._folder, self._form = function, Path(folder), form

    @property
    def cache_path(self) -> str:
        """The folder of the cache."""
        return str(self._folder)

    def load_overload(
        self, sig: Signature, target_context: BaseContext
    ) -> compiler.CompileResult | None:
        """The code for a signature; None if there is none."""
        target_context.refresh()
        path = self.path_for(sig, target_context.codegen())
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
        """Keep the code for a signature, if the disk takes it."""
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
        """Return where the code for a signature lies; None where that cannot be said."""
        arguments, _ = sigutils.normalize_signature(sig)
        try:
            named = [_name(self._function), *map(_describe, arguments)]
        except (_UnknownError, ImportingError):
            return None
        text = repr((named, self._form, codegen.magic_tuple(), config.BOUNDSCHECK))
        if self._function.__closure__ or " at 0x" in text:
            return None  # it depends on what only this process has
        plain = re.sub(r"[^\w.]", "", self._function.__qualname__)
        return self._folder / f"{plain}-{hashlib.sha256(text.encode()).hexdigest()[:32]}.code"

    def enable(self) -> None:
        """Do nothing: the cache is always on."""

    def disable(self) -> None:
        """Do nothing: the cache cannot be switched off."""

    def flush(self) -> None:
        """Do nothing: the cache writes at once."""


def _describe(kind: Type) -> str:
    """A type of Numba's, with the modules of named tuples: several share a name."""
    if isinstance(kind, Dispatcher):
        raise _UnknownError  # such a type is that of one object, and read back it is another's
    if not isinstance(kind, BaseTuple):
        return str(kind)
    head = _name(kind.instance_class) if isinstance(kind, BaseNamedTuple) else ""
    return f"{head}({', '.join(map(_describe, kind))})"


def _name(thing: type | Callable[..., object]) -> str:
    """The full name of a function or class; with its sources, where it is none of the package's.

    The digest of the package's own sources is in the name of the folder.
    """
    code = getattr(thing, "__code__", None)
    full = f"{thing.__module__}:{thing.__qualname__}:{code and code.co_firstlineno}"
    ours = thing.__module__.partition(".")[0] == __name__.partition(".")[0]
    return full if ours else f"{full} {digest_of_imports(thing.__module__)}"


class _UnknownError(Exception):
    """Code depends on something that cannot be named from one process to the next."""


# Dispatch by type


def dispatch(
    argument: str, kinds: Mapping[type, tuple[object, ...]]
) -> Callable[[Function], Function]:
    """Return the decorator that `jit.dispatch_by_type` is."""

    def declare(function: Function) -> Function:
        name, place = function.__name__, list(signature(function).parameters).index(argument)

        class Choice(AbstractTemplate):  # type: ignore[misc]
            key = function

            def _chosen(self, arguments: tuple[Type, ...]) -> Any:
                kind = arguments[place]
                assert isinstance(kind, BaseNamedTuple), f"{name} takes a named tuple, not {kind}"
                if kind.instance_class not in kinds:
                    raise TypeError(f"{name} of {kind.instance_class.__name__} is unknown")
                chosen = getattr(kinds[kind.instance_class], name)
                return self.context.resolve_value_type(chosen)

            def generic(self, arguments: tuple[Type, ...], _: object) -> Signature:
                return self._chosen(arguments).get_call_type(self.context, arguments, {})

            def get_impl_key(self, found: Signature) -> object:
                return self._chosen(found.args).get_impl_key(found)

        infer_global(function, FunctionType(Choice))
        return function

    return declare


# Entry points

HAS_ENTRY_POINTS = True

Generate = Callable[[BaseContext, ir.IRBuilder, Signature, list[ir.Value]], ir.Value]

ARGUMENTS = types.int64, types.int64  # the address of the data, and a number


@intrinsic  # type: ignore[untyped-decorator]
def entry_point(
    typing: TypingContext, function: Any, data: types.Type, address: types.Type
) -> tuple[Signature, Generate]:
    """Write the data of a call at an address; return the entry point's own.

    What is called there is `function(data, number)`, with a whole number as its result. Whoever
    calls it keeps the memory, and the arrays of the data, for as long.
    """
    called = function.get_call_type(typing, (data, types.int64), {})
    assert called.return_type == types.int64, f"{called} returns no int64"

    def generate(
        context: BaseContext, builder: ir.IRBuilder, _: Signature, arguments: list[ir.Value]
    ) -> ir.Value:
        laid_out = context.get_data_type(data).as_pointer()
        context.pack_value(builder, data, arguments[1], builder.inttoptr(arguments[2], laid_out))
        kind = context.call_conv.get_function_type(types.int64, ARGUMENTS)
        entry = ir.Function(builder.module, kind, builder.module.get_unique_name("entry_point"))
        entry.linkage = "internal"
        inside = ir.IRBuilder(entry.append_basic_block())
        where, number = context.call_conv.get_arguments(entry)
        value = context.unpack_value(inside, data, inside.inttoptr(where, laid_out))
        result = context.get_function(function, called)(inside, [value, number])
        context.call_conv.return_value(inside, result)
        return builder.ptrtoint(entry, ir.IntType(64))

    return types.int64(function, data, address), generate


@intrinsic  # type: ignore[untyped-decorator]
def call_entry(
    _typing: TypingContext, entry: types.Type, address: types.Type, number: types.Type
) -> tuple[Signature, Generate]:
    """Call an entry point: its address, its data's address, a number."""

    def generate(
        context: BaseContext, builder: ir.IRBuilder, _: Signature, arguments: list[ir.Value]
    ) -> ir.Value:
        kind = context.call_conv.get_function_type(types.int64, ARGUMENTS)
        called = builder.inttoptr(arguments[0], kind.as_pointer())
        status, result = context.call_conv.call_function(
            builder, called, types.int64, ARGUMENTS, arguments[1:]
        )
        with cgutils.if_unlikely(builder, status.is_error):
            context.call_conv.return_status_propagate(builder, status)
        return result

    del entry, address, number
    return types.int64(types.int64, types.int64, types.int64), generate
