"""Functions that are compiled with their callers: as far as these need, and no further.

Numba makes machine code of every function, with a way in from Python, before it is linked into
its callers; what they call is optimised again with each of them. Small functions of loops need
none of it: here they stay as the compiler's intermediate code, and are optimised with the loop
that they are written into. (Measured: half of the compile time.) Called from Python, as tests and
set-ups do, such a function is compiled like any other.
"""

from __future__ import annotations

from typing import Any

from llvmlite import binding
from numba.core import compiler
from numba.core.base import BaseContext
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import _FunctionCompiler  # type: ignore[attr-defined]
from numba.core.registry import CPUDispatcher
from numba.core.types import Type
from numba.core.types.misc import unliteral

from inarow.engine.passes import FewPasses

INTERMEDIATE = "intermediate"  # what the cache calls such code


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
        """What is stored of it."""
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


class Compiled(CPUDispatcher):  # type: ignore[misc]
    """A compiled function. To compiled callers, a constant is a number like any other."""

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
            py_func, self.targetdescr, self.targetoptions, self.locals, FewPasses
        )

    def add_overload(self, made: compiler.CompileResult) -> None:
        """Keeps what was compiled for callers: Python cannot call it."""
        self.overloads[tuple(made.signature.args)] = made

    @global_compiler_lock  # type: ignore[untyped-decorator]
    def _compile_for_args(self, *args: object, **kws: object) -> object:
        """What Python calls: found here from the second call on."""
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
