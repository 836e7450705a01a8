"""Asks zubi one question through the MCP Python SDK and prints what came back as JSON.

usage: client.py ZUBI TOOL ARGUMENTS
"""

import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main(program: str, tool: str, arguments: str) -> None:
    parameters = StdioServerParameters(command=program, args=["mcp"], env=dict(os.environ))
    async with stdio_client(parameters) as (reader, writer), ClientSession(reader, writer) as session:
        hello = await session.initialize()
        tools = (await session.list_tools()).tools
        result = await session.call_tool(tool, json.loads(arguments))
        info = hello.model_dump(by_alias=True)["serverInfo"]
        shown = result.model_dump(by_alias=True)
        answer = {
            "server": info["name"],
            "tools": len(tools),
            "is_error": bool(shown.get("isError")),
            "text": "\n".join(block["text"] for block in shown["content"]),
        }
        print(json.dumps(answer))


asyncio.run(main(*sys.argv[1:]))
