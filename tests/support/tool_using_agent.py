"""A program that speaks the Agent Client Protocol, and uses the MCP servers that it is given.

It starts them as the MCP SDKs do: with nothing of its own environment but PATH. With the argument
`--http` it announces that it connects to servers over HTTP. A prompt is
`call TOOL {arguments}`, which says the texts of the result; `leave TOOL`, which gives up without a
word to the server when there is a file `enough` in the folder; `quit servers`, which closes their
stdin; or `tell`, which says everything it knows about the servers, and prints it to stderr.
"""

import json
import os
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path
from typing import Any

Frame = dict[str, Any]


class Mcp:
    """A running MCP server."""

    def __init__(self, server: Frame, folder: str) -> None:
        environment = {each["name"]: each["value"] for each in server["env"]}
        self.child = subprocess.Popen(
            [server["command"], *server["args"]],
            env={"PATH": os.environ["PATH"], **environment},
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.last = 0
        information = {"name": "an-agent", "version": "1"}
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": information}
        self.request("initialize", params)
        self.send({"method": "notifications/initialized"})

    def send(self, message: Frame) -> None:
        assert self.child.stdin is not None
        self.child.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.child.stdin.flush()

    def request(self, method: str, params: Frame) -> Frame:
        assert self.child.stdout is not None
        self.last += 1
        self.send({"id": self.last, "method": method, "params": params})
        answer: Frame = json.loads(self.child.stdout.readline() or b'{"error": "no answer"}')
        return answer


class HttpMcp:
    """A server over HTTP; each message is sent on a connection of its own."""

    def __init__(self, server: Frame) -> None:
        self.url = server["url"]
        self.headers = {each["name"]: each["value"] for each in server["headers"]}
        self.headers["Accept"] = "application/json, text/event-stream"
        self.last = 0
        self.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}})
        self.send({"method": "notifications/initialized"})

    def send(self, message: Frame) -> bytes:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        request = urllib.request.Request(self.url, body, self.headers)
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with direct.open(request) as response:
            if session := response.headers.get("Mcp-Session-Id"):
                self.headers["Mcp-Session-Id"] = session
            content: bytes = response.read()
        return content

    def request(self, method: str, params: Frame) -> Frame:
        self.last += 1
        content = self.send({"id": self.last, "method": method, "params": params})
        answer: Frame = json.loads(content.decode().rpartition("data: ")[2])
        return answer


class Agent:
    def __init__(self) -> None:
        self.sending = threading.Lock()
        self.servers: list[Frame] = []
        self.folder = Path()
        self.running: list[Mcp | HttpMcp] = []

    def run(self) -> None:
        for line in sys.stdin:
            message = json.loads(line)
            if message.get("method") == "session/cancel":
                mcp = self.running[-1]
                mcp.send({"method": "notifications/cancelled", "params": {"requestId": mcp.last}})
            elif "method" in message:
                threading.Thread(target=self.answer, args=(message,), daemon=True).start()

    def answer(self, message: Frame) -> None:
        params = message["params"]
        match message["method"]:
            case "initialize":
                abilities = {"mcpCapabilities": {"http": "--http" in sys.argv}}
                result: Frame = {"protocolVersion": 1, "agentCapabilities": abilities}
            case "session/new":
                self.servers, self.folder = params["mcpServers"], Path(params["cwd"])
                self.running = [
                    HttpMcp(server) if "url" in server else Mcp(server, params["cwd"])
                    for server in self.servers
                ]
                result = {"sessionId": "s-1"}
            case "session/prompt":
                self.say(self.obey(params["prompt"][-1]["text"]))
                result = {"stopReason": "end_turn"}
        self.send({"id": message["id"], "result": result})

    def obey(self, order: str) -> str:
        word, _, rest = order.partition(" ")
        if word == "tell":
            told = json.dumps(self.servers)
            sys.stderr.write(f"{told}\n")
            sys.stderr.flush()
            return f"told {told}"
        if word == "quit":
            for mcp in self.running:
                assert isinstance(mcp, Mcp)
                assert mcp.child.stdin is not None
                mcp.child.stdin.close()
                mcp.child.wait()
            return "all have quit"
        if word == "leave":
            call = {"id": "left", "method": "tools/call", "params": {"name": rest}}
            self.running[-1].send(call)
            while not (self.folder / "enough").exists():
                threading.Event().wait(0.01)
            return "given up"
        name, _, arguments = rest.partition(" ")
        params = {"name": name, "arguments": json.loads(arguments or "{}")}
        answer = self.running[-1].request("tools/call", params)
        content = answer.get("result", {}).get("content") or [{"text": json.dumps(answer)}]
        return "answer: " + " | ".join(block["text"] for block in content)

    def say(self, words: str) -> None:
        content = {"type": "text", "text": words}
        update = {"sessionUpdate": "agent_message_chunk", "content": content}
        self.send({"method": "session/update", "params": {"sessionId": "s-1", "update": update}})

    def send(self, message: Frame) -> None:
        with self.sending:
            print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


if __name__ == "__main__":
    Agent().run()
