"""The compiler's passes over a function, without those that nothing here has a use for.

They look for closures, generators, `with`, `raise`, array expressions and literals to unroll,
none of which compiled functions here have, or describe every variable's type for a person who
asks (measured together: a tenth of the compile time).
"""

from __future__ import annotations

from numba.core import typed_passes, untyped_passes
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager

UNUSED = {
    untyped_passes.WithLifting,
    untyped_passes.InlineClosureLikes,
    untyped_passes.RewriteDynamicRaises,
    untyped_passes.MakeFunctionToJitFunction,
    untyped_passes.InlineInlinables,
    untyped_passes.FindLiterallyCalls,
    untyped_passes.LiteralUnroll,
    untyped_passes.LiteralPropagationSubPipelinePass,
    typed_passes.InlineOverloads,
    typed_passes.NopythonRewrites,
    typed_passes.NoPythonSupportedFeatureValidation,
    typed_passes.AnnotateTypes,
    typed_passes.DumpParforDiagnostics,
}


class FewPasses(CompilerBase):  # type: ignore[misc]
    """Numba's compiler with these left out."""

    def define_pipelines(self) -> list[PassManager]:
        """The one way that a function goes."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [step for step in passes.passes if step[0] not in UNUSED]
        passes.finalize()
        return [passes]
