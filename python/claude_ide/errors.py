"""The errors of this package, and the few places where each becomes a message.

ClaudeIdeError
├ RpcError         answered as a JSON-RPC error       (jsonrpc/peer.py)
├ ToolError        answered as an `isError` result    (mcp/server.py)
├ EditorError      Neovim refused or failed; answered as one of the two above
├ TransportClosed  the other side is gone
├ UserError        one line to the user               (app.py)
└ AgentError       the same; a line of the chat; what a question ends with
  │                                                   (chat/chat.py, headless/questions.py)
  ├ UnsupportedError
  └ UnknownSessionError
"""

from typing import Any

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
TOO_MANY = -32000
"""Of this server's own."""


class ClaudeIdeError(Exception):
    """Base of all errors of this package; its text is fit to be shown."""


class RpcError(ClaudeIdeError):
    """A JSON-RPC error object: `code`, `message`, and `data` where it helps.

    Source: JSON-RPC 2.0, section 5.1.
    """

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    @classmethod
    def invalid_params(cls, message: str) -> "RpcError":
        """Return an error that says which parameter is wrong, and how."""
        return cls(INVALID_PARAMS, message)

    @classmethod
    def method_not_found(cls, method: str) -> "RpcError":
        """Return the error for a method that the receiver does not have."""
        return cls(METHOD_NOT_FOUND, f"Method not found: {method}")

    @classmethod
    def internal(cls) -> "RpcError":
        """Return an error that tells nothing of what happened: that is in the log."""
        return cls(INTERNAL_ERROR, "Internal error")


class ToolError(ClaudeIdeError):
    """A tool that cannot do what it was asked; the model reads the text."""


class EditorError(ClaudeIdeError):
    """Neovim refused a request or failed to carry it out; the text is one line."""


class TransportClosed(ClaudeIdeError):
    """The other side is gone: nothing can be sent, no reply will come."""


class UserError(ClaudeIdeError):
    """Something that the user asked for is not possible; the text is one line."""


class AgentError(ClaudeIdeError):
    """An agent that cannot be started, or refused what it was asked; the text is one line."""


class UnsupportedError(AgentError):
    """The agent, or this version of it, does not know what it was asked."""


class UnknownSessionError(AgentError):
    """There is no session with the id that was to be resumed."""
