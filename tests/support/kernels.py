"""Kernels as source text: which functions they are, and which arrays they read and write."""

import ast

# Functions of `tablebase.core.jit` that read or write the array they are given first.
READING = {"load_line", "bytes_equal", "bytes_with"}
WRITING = {"store_line", "write_selected", "raise_selected", "fetch_add"}


def is_kernel(function):
    """Return whether a function is decorated as `kernel`, `hot_entry` or so."""
    names = [ast.unparse(one).split("(")[0].split(".")[-1] for one in function.decorator_list]
    return any(name.split("_")[-1] in {"kernel", "entry"} for name in names)


class Arrays(ast.NodeVisitor):
    """What a kernel reads and writes, as paths from its parameters: `values`, `sets.reach`.

    `named` has the fields of records besides. `writers` are other kernels' parameters that they
    write, by kernel and place: what is given there is written.
    """

    def __init__(self, function, writers=None):
        self.parameters = [one.arg for one in function.args.args]
        self.read, self.written, self.named = set(), set(), set()
        self._writers = {**(writers or {}), **{name: {0} for name in WRITING}}
        self._means = {name: {name} for name in self.parameters}
        for statement in function.body:
            self.visit(statement)

    def written_places(self):
        """Return the places of the parameters that are written."""
        return {place for place, name in enumerate(self.parameters) if name in self.written}

    def _paths(self, node):
        match node:
            case ast.Name(name):
                return self._means.get(name, set())
            case ast.Attribute(value, field):
                return {f"{path}.{field}" for path in self._paths(value)}
            case ast.Subscript(value):
                return self._paths(value)
            case ast.IfExp(_, one, other):
                return self._paths(one) | self._paths(other)
        return set()

    def _bind(self, target, value):
        match target, value:
            case ast.Tuple(targets), ast.Tuple(values):
                for one, its_value in zip(targets, values, strict=True):
                    self._bind(one, its_value)
            case ast.Name(name), _:
                self._means[name] = self._means.get(name, set()) | self._paths(value)

    def visit_Assign(self, node):
        self.generic_visit(node)
        for target in node.targets:
            self._bind(target, node.value)

    def visit_For(self, node):
        self._bind(node.target, node.iter)
        self.generic_visit(node)

    def visit_Attribute(self, node):
        self.named |= self._paths(node)
        self.generic_visit(node)

    def visit_Subscript(self, node):
        paths = self._paths(node.value)
        if isinstance(node.ctx, ast.Store):
            self.written |= paths
        else:
            self.read |= paths
        self.generic_visit(node)

    def visit_Call(self, node):
        name = ast.unparse(node.func)
        if name in READING:
            self.read |= self._paths(node.args[0])
        for place in self._writers.get(name, ()):
            self.written |= self._paths(node.args[place])
        self.generic_visit(node)
