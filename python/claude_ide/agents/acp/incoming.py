"""The messages that an agent sends of its own accord: updates, and requests to the client."""

import logging
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

import msgspec

from claude_ide.agents.fields import mapping
from claude_ide.errors import RpcError
from claude_ide.jsonrpc.message import Id, Notification, Request, converted

logger = logging.getLogger(__name__)

Params = dict[str, Any]
Answering = Callable[[Id, Params], Coroutine[Any, Any, Any]]
"""Answers a request: gets its id and its params."""


class Incoming:
    """Implements `Dialect`: hands messages to the functions that handle their methods."""

    def __init__(
        self,
        requests: Mapping[str, Answering],
        notifications: Mapping[str, Callable[[Params], None]],
    ) -> None:
        self._requests = requests
        self._notifications = notifications

    def on_request(self, request: Request) -> Any:
        """Return the coroutine that answers a request. Raises `RpcError` if it is unknown."""
        answer = self._requests.get(request.method)
        if answer is None:
            raise RpcError.method_not_found(request.method)
        return answer(request.id, _params(request.params))

    def on_notification(self, notification: Notification) -> None:
        """Handle a notification; an unknown one is ignored."""
        handle = self._notifications.get(notification.method)
        if handle is None:
            logger.info("ignored %s", notification.method)
        else:
            handle(_params(notification.params))

    def waits(self, _request: Request) -> bool:
        """Return whether the user answers the request: any of them may wait for the user."""
        return True

    def oversized(self, request: Request, size: int) -> Any:
        """Refuse to send a result of `size` bytes."""
        logger.warning("the answer to %s has %d bytes, and is not sent", request.method, size)


def _params(params: Any) -> Params:
    try:
        return mapping(converted(params, dict[str, Any]))
    except msgspec.DecodeError:
        return {}
