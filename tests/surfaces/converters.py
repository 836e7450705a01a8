"""Converts the schemas of tools with the SDKs of OpenAI, Google and Anthropic, and prints what they lose as JSON.

usage: converters.py < TOOLS   (the `tools` of a tools/list result)
"""

import copy
import json
import sys
from typing import Any, Iterator

from agents.mcp import MCPServerStdio, MCPUtil
from anthropic import transform_schema
from google.genai._mcp_utils import mcp_to_gemini_tool
from mcp.types import Tool

# The OpenAI SDK closes every object in a strict schema. It leaves the schema of these two tools as it is and sends it
# without `strict`, because their `arguments` are those of any tool.
OPEN = {"zubi_call_read_tool", "zubi_call_tool"}


def nodes(schema: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Returns every schema in a schema, with its path. A choice of types has the path of its parent."""
    yield path, schema
    for name, inner in (schema.get("properties") or {}).items():
        yield from nodes(inner, f"{path}/{name}")
    if schema.get("items"):
        yield from nodes(schema["items"], f"{path}[]")
    for key in ("anyOf", "any_of"):
        for inner in schema.get(key) or []:
            if inner.get("properties"):
                yield from nodes(inner, path)


def losses(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Returns the names, required names, values and descriptions that the converted schema lacks, and those it adds."""
    old, new = dict(nodes(before)), dict(nodes(after))
    found = [f"{path} is lost" for path in old if path not in new]
    found += [f"{path} is added" for path in new if path not in old]
    for path in old.keys() & new.keys():
        missing = set(old[path].get("required") or []) - set(new[path].get("required") or [])
        found += [f"{path}: {name} is not required" for name in missing]
        if old[path].get("enum") != new[path].get("enum"):
            found.append(f"{path}: the values are {new[path].get('enum')}")
        if not (new[path].get("description") or "").startswith(old[path].get("description") or ""):
            found.append(f"{path}: the description is {new[path].get('description')!r}")
    return found


def openai_losses(tool: Tool, schema: dict[str, Any]) -> list[str]:
    server = MCPServerStdio(params={"command": "zubi"})
    converted = MCPUtil.to_function_tool(tool, server, convert_schemas_to_strict=True)
    if tool.name in OPEN:
        return [] if converted.params_json_schema == schema else ["the schema is changed"]
    found = [] if converted.strict_json_schema else ["the schema is not strict"]
    return found + losses(schema, converted.params_json_schema)


def gemini_losses(tool: Tool, schema: dict[str, Any]) -> list[str]:
    (declaration,) = mcp_to_gemini_tool(tool).function_declarations
    return losses(schema, declaration.parameters.model_dump(mode="json", exclude_none=True))


def anthropic_losses(schema: dict[str, Any]) -> list[str]:
    return losses(schema, transform_schema(copy.deepcopy(schema)))


def main() -> None:
    problems = []
    for description in json.load(sys.stdin):
        tool, schema = Tool.model_validate(description), description["inputSchema"]
        for sdk, convert in [
            ("openai", lambda: openai_losses(tool, schema)),
            ("gemini", lambda: gemini_losses(tool, schema)),
            ("anthropic", lambda: anthropic_losses(schema)),
        ]:
            try:
                found = convert()
            except Exception as error:  # a test reports every converter's own error
                found = [f"{type(error).__name__}: {error}"]
            problems += [f"{tool.name}, {sdk}: {problem}" for problem in found]
    print(json.dumps(problems))


main()
