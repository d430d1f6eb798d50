"""A small real language server on stdin and stdout, for tests of what Neovim does with one.

It finds every `wrong` an error and every `odd` a warning, and formats by stripping what ends a
line. Nothing in it waits for time: what it holds back comes with a later message.
"""

import argparse
import json
import re
import sys
from typing import Any

SEVERITY = {"wrong": 1, "odd": 2}


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--publish",
        choices=["push", "pull", "never", "on-request", "after-change"],
        default="push",
    )
    parser.add_argument(
        "--format",
        choices=["lines", "document", "error", "never", "after-change", "missing"],
        default="lines",
    )
    return parser.parse_args()


def utf16(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def span(row: int, line: str, start: int, end: int) -> dict[str, Any]:
    """The range of a part of a line, in UTF-16 code units."""
    return {
        "start": {"line": row, "character": utf16(line[:start])},
        "end": {"line": row, "character": utf16(line[:end])},
    }


def diagnose(text: str) -> list[dict[str, Any]]:
    return [
        {
            "message": f"{found[0]} word",
            "severity": SEVERITY[found[0]],
            "range": span(row, line, *found.span()),
            "source": "words",
            "code": f"report-{found[0]}",
        }
        for row, line in enumerate(text.split("\n"))
        for found in re.finditer("wrong|odd", line)
    ]


def format_lines(text: str) -> list[dict[str, Any]]:
    return [
        {"range": span(row, line, len(line.rstrip()), len(line)), "newText": ""}
        for row, line in enumerate(text.split("\n"))
        if line != line.rstrip()
    ]


def format_document(text: str) -> list[dict[str, Any]]:
    lines = text.split("\n")
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": len(lines), "character": 0}}
    return [{"range": whole, "newText": "\n".join(line.rstrip() for line in lines)}]


class Server:
    """The state of one session: the open documents, and the request that is held back."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.documents: dict[str, str] = {}
        self.held: dict[str, Any] | None = None

    def capabilities(self) -> dict[str, Any]:
        return {
            "textDocumentSync": {"openClose": True, "change": 1},
            "documentFormattingProvider": self.arguments.format != "missing",
            **(
                {"diagnosticProvider": {"interFileDependencies": False}}
                if self.arguments.publish == "pull"
                else {}
            ),
        }

    def receive(self, message: dict[str, Any]) -> None:
        parameters = message.get("params") or {}
        match message.get("method"):
            case "initialize":
                self.answer(message, {"capabilities": self.capabilities()})
            case "textDocument/didOpen":
                document = parameters["textDocument"]
                self.update(document["uri"], document["text"])
            case "textDocument/didChange":
                uri = parameters["textDocument"]["uri"]
                self.update(uri, parameters["contentChanges"][-1]["text"])
                if self.arguments.publish == "after-change":
                    self.publish(uri)
                if self.held:
                    self.answer(self.held, format_lines(self.documents[uri]))
            case "textDocument/diagnostic":
                text = self.documents[parameters["textDocument"]["uri"]]
                self.answer(message, {"kind": "full", "items": diagnose(text)})
            case "textDocument/formatting":
                self.format(message, self.documents[parameters["textDocument"]["uri"]])
            case "test/publish":
                self.publish(parameters["uri"])
            case "shutdown":
                self.answer(message, None)
            case "exit":
                sys.exit(0)

    def update(self, uri: str, text: str) -> None:
        self.documents[uri] = text
        if self.arguments.publish == "push":
            self.publish(uri)

    def publish(self, uri: str) -> None:
        items = diagnose(self.documents[uri])
        parameters = {"uri": uri, "diagnostics": items}
        self.send({"method": "textDocument/publishDiagnostics", "params": parameters})

    def format(self, request: dict[str, Any], text: str) -> None:
        match self.arguments.format:
            case "lines":
                self.answer(request, format_lines(text))
            case "document":
                self.answer(request, format_document(text))
            case "error":
                error = {"code": -32803, "message": "cannot parse line 1"}
                self.send({"id": request["id"], "error": error})
            case "after-change":
                self.held = request

    def answer(self, request: dict[str, Any], result: Any) -> None:
        self.send({"id": request["id"], "result": result})

    def send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        sys.stdout.buffer.flush()


def main() -> None:
    server = Server(options())
    length = 0
    while header := sys.stdin.buffer.readline():
        if header.lower().startswith(b"content-length:"):
            length = int(header.split(b":")[1])
        elif not header.strip():
            server.receive(json.loads(sys.stdin.buffer.read(length)))


if __name__ == "__main__":
    main()
