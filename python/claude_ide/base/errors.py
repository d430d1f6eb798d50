"""The errors of this package, and where each becomes a message.

ClaudeIdeError
├ RpcError         answered as a JSON-RPC error       (transport/jsonrpc.py)
├ ToolError        answered as an `isError` result    (mcp/server.py)
├ EditorError      Neovim refused or failed; answered as one of the two above
├ TransportClosed  the other side is gone
├ UserError        one line for the user              (app.py)
│ └ InvalidRuleError  also before the rule is asked for again
│                                                     (chat/answers.py)
└ AgentError       one line for the user, in the chat, or as the result of a one-off request
  │                                                   (chat/chat.py, headless/questions.py)
  ├ LoginNeededError  also offers to log in             (chat/life.py)
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
"""Defined by this server."""


class ClaudeIdeError(Exception):
    """Base of all errors of this package; the text can be shown to the user."""


class RpcError(ClaudeIdeError):
    """A JSON-RPC error object: `code`, `message` and optional `data`.

    Source: JSON-RPC 2.0, section 5.1.
    """

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    @classmethod
    def invalid_params(cls, message: str) -> "RpcError":
        """Return an error for a bad parameter; `message` names it and the problem."""
        return cls(INVALID_PARAMS, message)

    @classmethod
    def method_not_found(cls, method: str) -> "RpcError":
        """Return the error for an unknown method."""
        return cls(METHOD_NOT_FOUND, f"Method not found: {method}")

    @classmethod
    def internal(cls) -> "RpcError":
        """Return an error without details; those are only in the log."""
        return cls(INTERNAL_ERROR, "Internal error")


class ToolError(ClaudeIdeError):
    """A tool failed; the model reads the text."""


class EditorError(ClaudeIdeError):
    """Neovim refused a request, or it failed; the text is one line."""


class TransportClosed(ClaudeIdeError):
    """The other side is gone: no message can be sent and no reply will come."""


class UserError(ClaudeIdeError):
    """The user's request is not possible; the text is one line."""


class InvalidRuleError(UserError):
    """The text is no permission rule; the message says why."""


class AgentError(ClaudeIdeError):
    """An agent cannot be started, or refused a request; the text is one line."""


class LoginNeededError(AgentError):
    """The agent does not start before the user has logged in."""


class UnsupportedError(AgentError):
    """The agent, or this version of it, does not support the request."""


class UnknownSessionError(AgentError):
    """No session has the id to resume."""
