"""Whether answers are what the description of the server says, in all their parts."""

import json
from pathlib import Path

import tablebase

DESCRIPTION = json.loads(
    (Path(tablebase.__file__).parent / "serve" / "openapi.json").read_text(encoding="utf-8")
)
KINDS = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def response_of(path, status, method="get"):
    """Return the description of an answer, which may refer to that of another request."""
    found = DESCRIPTION["paths"][path][method]["responses"][str(status)]
    while "$ref" in found:
        place = found["$ref"].removeprefix("#/paths/").replace("~1", "/")
        path, method, _, status = place.rsplit("/", 3)
        found = DESCRIPTION["paths"][path][method]["responses"][status]
    return found


def check_answer(answer, path, method=""):
    """Fail unless an answer of a path has the fields and values of its description, and no more."""
    method = method or next(iter(DESCRIPTION["paths"][path]))
    (content,) = response_of(path, 200, method)["content"].values()
    _check(answer, content["schema"], DESCRIPTION["components"]["schemas"])


def _check(answer, schema, records):
    if "oneOf" in schema:
        schema, null = schema["oneOf"]
        assert null == {"type": "null"}
        if answer is None:
            return
    if "anyOf" in schema:
        schema = schema["anyOf"]["error" in answer]
    if "$ref" in schema:
        schema = records[schema["$ref"].removeprefix("#/components/schemas/")]
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    assert any(_is(answer, kind) for kind in kinds), (answer, schema)
    assert answer in schema.get("enum", [answer])
    if isinstance(answer, list):
        for one in answer:
            _check(one, schema["items"], records)
    elif isinstance(answer, dict) and "properties" in schema:
        assert set(schema["required"]) <= set(answer) <= set(schema["properties"])
        for name, one in answer.items():
            _check(one, schema["properties"][name], records)
    elif isinstance(answer, dict):
        for one in answer.values():
            _check(one, schema["additionalProperties"], records)


def _is(answer, kind):
    if kind in {"integer", "number"}:
        known = int if kind == "integer" else int | float
        return isinstance(answer, known) and not isinstance(answer, bool)
    return isinstance(answer, KINDS[kind])
