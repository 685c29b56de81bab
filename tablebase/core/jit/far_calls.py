"""Far calls: kernels that end the tree of calls.

LLVM optimises a kernel again in every kernel that calls it, directly or not; a deep tree of calls
takes minutes to compile. A *far* call is one to machine code that was made before, as to a
function of another library.
"""

from __future__ import annotations

import inspect
from threading import RLock
from typing import Any

from llvmlite.binding import add_symbol
from numba.core.errors import TypingError
from numba.extending import intrinsic

from tablebase.core.jit import kernels


class _FarKernel:
    """A kernel of a `FarTable`."""

    def __init__(self, function: Any, stated: tuple[Any, ...]) -> None:
        self.function = function
        self.stated = stated
        self.name = f"{function.py_func.__module__}.{function.py_func.__qualname__}"
        self.kinds: tuple[Any, ...] | None = None
        self.result: Any = None

    def link(self) -> None:
        """Compile the kernel, and let LLVM find it by its name."""
        address, self.result = kernels.compiler().compiled(self.function, self.kinds)
        add_symbol(self.name, address)

    def check(self, typing: Any, arguments: tuple[Any, ...]) -> None:
        """Raise unless a call's arguments are those that the kernel is compiled for."""
        if self.kinds is None or self.result is None:
            raise TypingError(f"{self.name} is called, but its table is not linked")
        fits = len(arguments) == len(self.kinds) and all(
            typing.can_convert(argument, kind) is not None
            for argument, kind in zip(arguments, self.kinds, strict=True)
        )
        if not fits:
            raise TypingError(f"{self.name} takes {self.kinds}, and is called with {arguments}")

    def call(self) -> Any:
        """Return the function by which other kernels call the kernel."""

        def call(typing: Any, *arguments: Any) -> Any:
            self.check(typing, arguments)
            kinds, result = self.kinds, self.result
            assert kinds is not None

            def codegen(context: Any, builder: Any, _sig: Any, args: Any) -> Any:
                return kernels.compiler().call_symbol(
                    context, builder, self.name, result, kinds, args
                )

            return result(*kinds), codegen

        first = inspect.Parameter("typing", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        others = inspect.signature(self.function.py_func).parameters.values()
        call.__signature__ = inspect.Signature([first, *others])  # type: ignore[attr-defined]
        return intrinsic(call)


class FarTable:
    """Kernels that are called far, and what they take.

    A kernel may call only those that were entered before it.
    """

    def __init__(self) -> None:
        self._kernels: list[_FarKernel] = []
        self._lock = RLock()

    def entry(self, function: Any, *kinds: Any) -> Any:
        """Enter a kernel.

        Parameters
        ----------
        function
            An `entry` or `hot_entry`.
        kinds
            The numba types of its arguments; a name stands for a type that `link` is given.

        Returns
        -------
        Callable
            For use in kernels, where it takes the same arguments.
        """
        if kernels.IS_PLAIN:
            return function  # an ordinary call: far ones need more than numba's public interface
        far = _FarKernel(function, kinds)
        self._kernels.append(far)
        return far.call()

    def link(self, **kinds: Any) -> None:
        """Compile all kernels of the table; before that none that calls them can be called.

        Parameters
        ----------
        kinds
            The types that were entered by name.

        Raises
        ------
        TypeError
            If the table was linked before, with other types.
        """
        with self._lock:
            for far in self._kernels:
                wanted = tuple(kinds.get(kind, kind) for kind in far.stated)
                if far.kinds not in (None, wanted):
                    raise TypeError(f"{far.name} is linked for {far.kinds}, not for {wanted}")
                if far.result is None:
                    far.kinds = wanted
                    far.link()
