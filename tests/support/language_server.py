"""A small real language server on stdin and stdout.

It reports each `wrong` as an error and each `odd` as a warning, and formats by removing trailing
blanks. It never waits for time: a delayed answer is sent after a later message, or after a FIFO is
read.
"""

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

SEVERITY = {"wrong": 1, "odd": 2}


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--publish",
        choices=["push", "pull", "never", "on-change", "on-request", "on-save"],
        default="push",
    )
    parser.add_argument("--version", action="store_true", help="name the document's version")
    parser.add_argument("--pull-answer", choices=["full", "unchanged", "error"], default="full")
    parser.add_argument("--identifiers", nargs="*", default=[], help="of the diagnostics to pull")
    parser.add_argument("--across", action="store_true", help="report a file's errors in all files")
    parser.add_argument("--save", choices=["no", "yes", "text"], default="no")
    parser.add_argument("--work", help="title of the work that a save starts")
    parser.add_argument("--sync", type=int, default=1, help="kind of synchronization")
    parser.add_argument("--reads-code", action="store_true", help="offer definitions")
    parser.add_argument("--start-after", type=Path, help="a FIFO to read to its end first")
    parser.add_argument("--script", type=Path, help="JSON: capabilities and answers by method")
    parser.add_argument("--log", type=Path, help="a file for the received messages")
    parser.add_argument(
        "--format",
        choices=[
            *("lines", "document", "capitals", "nothing"),
            *("error", "never", "after-change", "missing"),
        ],
        default="lines",
    )
    return parser.parse_args()


def utf16(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def span(row: int, line: str, start: int, end: int) -> dict[str, Any]:
    """Return the range of a part of a line, in UTF-16 code units."""
    return {
        "start": {"line": row, "character": utf16(line[:start])},
        "end": {"line": row, "character": utf16(line[:end])},
    }


def offset(text: str, position: dict[str, int]) -> int:
    """Return the index of a position; the lines of the tests are ASCII."""
    lines = text.split("\n")[: position["line"]]
    return sum(len(line) + 1 for line in lines) + position["character"]


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


def replace_document(text: str, new: str) -> list[dict[str, Any]]:
    end = {"line": len(text.split("\n")), "character": 0}
    return [{"range": {"start": {"line": 0, "character": 0}, "end": end}, "newText": new}]


def format_document(text: str) -> list[dict[str, Any]]:
    return replace_document(text, "\n".join(line.rstrip() for line in text.split("\n")))


class Server:
    """The state of one session: the open documents, and the request whose answer is delayed."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.documents: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.published: dict[str, list[dict[str, Any]]] = {}
        self.held: dict[str, Any] | None = None
        script = arguments.script
        self.script: dict[str, Any] = json.loads(script.read_text("utf-8")) if script else {}

    def capabilities(self) -> dict[str, Any]:
        return {
            "textDocumentSync": self.synchronization(),
            "documentFormattingProvider": self.arguments.format != "missing",
            "definitionProvider": self.arguments.reads_code,
            **(
                {"diagnosticProvider": {"interFileDependencies": self.arguments.across}}
                if self.arguments.publish == "pull" and not self.arguments.identifiers
                else {}
            ),
            **self.script.get("capabilities", {}),
        }

    def synchronization(self) -> dict[str, Any]:
        save = {"no": False, "yes": True, "text": {"includeText": True}}[self.arguments.save]
        return {"openClose": True, "change": self.arguments.sync, "save": save}

    def receive(self, message: dict[str, Any]) -> None:
        self.note(message)
        parameters = message.get("params") or {}
        if message.get("method") in self.script.get("answers", {}):
            return self.act(message)
        match message.get("method"):
            case "initialize":
                self.start()
                self.answer(message, {"capabilities": self.capabilities()})
            case "initialized":
                self.register()
            case "textDocument/didOpen":
                document = parameters["textDocument"]
                self.update(document, document["text"])
            case "textDocument/didChange":
                document = parameters["textDocument"]
                self.update(document, self.changed(document, parameters["contentChanges"]))
                if self.held:
                    self.answer(self.held, format_lines(self.documents[document["uri"]]))
            case "textDocument/didSave":
                if self.arguments.publish == "on-save":
                    self.publish(parameters["textDocument"]["uri"])
                if self.arguments.work:
                    self.progress({"kind": "begin", "title": self.arguments.work})
            case "textDocument/diagnostic":
                self.pull(message, parameters["textDocument"]["uri"])
            case "textDocument/formatting":
                self.format(message, self.documents[parameters["textDocument"]["uri"]])
            case "test/publish":
                self.publish(parameters["uri"], parameters.get("version"))
            case "test/release" if self.held:
                self.answer(self.held, parameters["result"])
            case "test/apply":
                self.send({"id": "edit", "method": "workspace/applyEdit", "params": parameters})
            case "test/begin":
                self.progress({"kind": "begin", "title": parameters["title"]})
            case "test/end":
                self.progress({"kind": "end"})
            case "shutdown":
                self.answer(message, None)
            case "exit":
                sys.exit(0)

    def act(self, request: dict[str, Any]) -> None:
        """Give the next answer of the script; the last one stays."""
        answers = self.script["answers"][request["method"]]
        match answers.pop(0) if len(answers) > 1 else answers[0]:
            case "die":
                sys.exit(1)
            case "never":
                pass
            case "hold":
                self.held = request
            case "echo":
                self.answer(request, request["params"])
            case {"error": error}:
                self.send({"id": request["id"], "error": error})
            case {"result": result}:
                self.answer(request, result)

    def note(self, message: dict[str, Any]) -> None:
        if self.arguments.log:
            with self.arguments.log.open("a", encoding="utf-8") as log:
                log.write(json.dumps(message) + "\n")

    def start(self) -> None:
        if self.arguments.start_after:
            self.arguments.start_after.read_text(encoding="utf-8")

    def register(self) -> None:
        registrations = [
            {
                "id": identifier,
                "method": "textDocument/diagnostic",
                "registerOptions": {
                    "identifier": identifier,
                    "interFileDependencies": self.arguments.across,
                    "documentSelector": None,
                },
            }
            for identifier in self.arguments.identifiers
        ]
        if registrations:
            parameters = {"registrations": registrations}
            self.send({"id": 1, "method": "client/registerCapability", "params": parameters})

    def changed(self, document: dict[str, Any], changes: list[dict[str, Any]]) -> str:
        text = self.documents[document["uri"]]
        for change in changes:
            if "range" in change:
                ends = change["range"]["start"], change["range"]["end"]
                start, end = (offset(text, position) for position in ends)
                text = text[:start] + change["text"] + text[end:]
            else:
                text = change["text"]
        return text

    def update(self, document: dict[str, Any], text: str) -> None:
        uri = document["uri"]
        self.documents[uri], self.versions[uri] = text, document["version"]
        is_new = diagnose(text) != self.published.get(uri, [])
        if self.arguments.publish == "push" or (self.arguments.publish == "on-change" and is_new):
            self.publish(uri)

    def publish(self, uri: str, version: int | None = None) -> None:
        items = self.published[uri] = diagnose(self.documents[uri])
        parameters: dict[str, Any] = {"uri": uri, "diagnostics": items}
        if self.arguments.version:
            parameters["version"] = self.versions[uri] if version is None else version
        self.send({"method": "textDocument/publishDiagnostics", "params": parameters})

    def items(self, uri: str) -> list[dict[str, Any]]:
        if not self.arguments.across:
            return diagnose(self.documents[uri])
        return [item for text in self.documents.values() for item in diagnose(text)]

    def progress(self, value: dict[str, Any]) -> None:
        self.send({"method": "$/progress", "params": {"token": "work", "value": value}})

    def pull(self, request: dict[str, Any], uri: str) -> None:
        match self.arguments.pull_answer:
            case "full":
                self.answer(request, {"kind": "full", "items": self.items(uri), "resultId": "1"})
            case "unchanged":
                self.answer(request, {"kind": "unchanged", "resultId": "1"})
            case "error":
                error = {"code": -32803, "message": "cannot parse line 1"}
                self.send({"id": request["id"], "error": error})

    def format(self, request: dict[str, Any], text: str) -> None:
        match self.arguments.format:
            case "lines":
                self.answer(request, format_lines(text))
            case "document":
                self.answer(request, format_document(text))
            case "capitals":
                self.answer(request, replace_document(text, text.upper()))
            case "nothing":
                self.answer(request, None)
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


def main() -> None:
    server = Server(options())
    length = 0
    while header := sys.stdin.buffer.readline():
        if header.lower().startswith(b"content-length:"):
            length = int(header.split(b":")[1])
        elif not header.strip():
            server.receive(json.loads(sys.stdin.buffer.read(length)))
            # What answers one message arrives together, however busy the machine is.
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
