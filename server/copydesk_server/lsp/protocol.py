"""JSON-RPC after `initialize`: exactly one response per request, no traceback to the client, no text in the log.

pygls provides the registry of handlers, LSP's types by method and typed calls to the client. How messages are dispatched,
answered and written is decided here, behind pygls' public interface: no private member of pygls is overridden or used.
Each override says what pygls' own does otherwise.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeVar

from cattrs import Converter
from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidParams,
    JsonRpcMethodNotFound,
    JsonRpcRequestCancelled,
)
from pygls.lsp.server import LanguageServer
from pygls.protocol import (
    JsonRPCNotification,
    JsonRPCRequestMessage,
    JsonRPCResponseMessage,
    LanguageServerProtocol,
)

from copydesk_server.lsp import incoming, jsonrpc
from copydesk_server.lsp.capabilities import dig
from copydesk_server.lsp.handler_task import Deadline, HandlerTask
from copydesk_server.lsp.message_types import serialise, structure, superseding_key, work_done_token
from copydesk_server.lsp.progress import ProgressBars
from copydesk_server.lsp.transport import Connection
from copydesk_server.lsp.unreadable import UnreadableChanges

T = TypeVar("T")

log = logging.getLogger(__name__)


class CopydeskProtocol(LanguageServerProtocol):
    """Messages in and out. `receive` takes one body; everything after `initialize` comes through it."""

    def __init__(self, server: LanguageServer, converter: Converter) -> None:
        self._types = converter
        self._ids = itertools.count(1)
        self._unanswered: set[int | str] = set()  # ids of the client's requests
        self._running: dict[object, HandlerTask] = {}  # by such an id; by anything for notifications
        self._asked: dict[
            int | str, tuple[Future[Any], Any]
        ] = {}  # our requests: who waits, the answer's type
        self._ended = False
        self._connection: Connection
        self._deadline: Deadline
        self._bars: ProgressBars
        self._unreadable: UnreadableChanges
        super().__init__(server, converter)  # reads every property, in search of features
        # pygls' own features keep a second copy of every document, and a lifecycle that begins with `initialize`.
        self.fm.builtin_features.clear()

    def connect(
        self, connection: Connection, deadline: Deadline, bars: ProgressBars, unreadable: UnreadableChanges
    ) -> None:
        """What pygls' constructor has no place for. `initialize` was answered already."""
        self._connection, self._deadline = connection, deadline
        self._bars, self._unreadable = bars, unreadable

    @property
    def ended(self) -> bool:
        """`shutdown` was asked for."""
        return self._ended

    @property
    def pending(self) -> dict[str, int]:
        """How much is going on: requests without a response, running handlers, requests of ours without an answer."""
        return {
            "unanswered": len(self._unanswered),
            "running": len(self._running),
            "asked": len(self._asked),
        }

    def end(self) -> None:
        """`shutdown`: requests are refused from now on, and notifications but `exit` ignored."""
        self._ended = True

    def cancel_all(self) -> None:
        """Whatever is being answered, or waited for: nobody wants it any more."""
        for running in list(self._running.values()):
            running.task.cancel()
        for future, _ in list(self._asked.values()):
            future.cancel()

    def structure(self, value: Any, kind: type[T]) -> T:
        """One of LSP's types from plain JSON. Raises JsonRpcInvalidParams."""
        return structure(self._types, value, kind)

    # -- in ----------------------------------------------------------------------------------------------------------

    def receive(self, body: bytes) -> None:
        """Handle one message. Raises: never; what is wrong with it is answered or logged."""
        try:
            message = incoming.decode(body)
        except jsonrpc.MessageError as error:
            self._refuse(error)
            if error.message is None and incoming.may_change_a_document(body):
                self._unreadable.any()
            return
        if log.isEnabledFor(logging.DEBUG):
            log.debug("received %s", body.decode("utf-8", "replace"))
        try:
            self._take(message)
        except Exception as error:  # one message that nobody foresaw must not end the session
            log.error("a message could not be handled", exc_info=error)
            if "method" in message and "id" in message:
                self._fail(message["id"], error)

    def _refuse(self, error: jsonrpc.MessageError) -> None:
        """A message that is not handled at all."""
        answer, message = error.answer(), error.message
        if answer is not None:
            self._write(answer)
        else:
            log.warning("a message was dropped: %s", error)
        if message is not None and "method" not in message:
            self._unreadable_answer(error.ident)
        self._unreadable.one(incoming.changed_document(message))

    def _take(self, message: jsonrpc.Message) -> None:
        method, ident = message.get("method"), message.get("id")
        if method is not None and ident is not None:
            if ident in self._unanswered or ident in self._asked:
                reason = "a request of this id is being answered"
                self._write(jsonrpc.error_message(ident, jsonrpc.INVALID_REQUEST, reason))
                return
            self._unanswered.add(ident)
            if method == types.INITIALIZE or self._ended:
                when = "after shutdown" if self._ended else "once more"
                self._answer_error(ident, jsonrpc.INVALID_REQUEST, f"{method} {when}")
                return
        elif method is not None and self._ended and method != types.EXIT:
            return
        try:
            structured = self.structure_message(message)
        except JsonRpcInvalidParams:
            self._refuse_params(message)
            return
        self.handle_message(structured)

    def _refuse_params(self, message: jsonrpc.Message) -> None:
        method, ident = message.get("method"), message.get("id")
        if method is None:
            self._unreadable_answer(ident)
        elif ident is not None:
            self._answer_error(ident, jsonrpc.INVALID_PARAMS, f"the params of {method} are not LSP's")
        else:
            log.warning("the params of %s are not LSP's: ignored", method)
            self._unreadable.one(incoming.changed_document(message))

    def _unreadable_answer(self, ident: int | str | None) -> None:
        """The answer to a question of ours cannot be read: that is an answer too."""
        if ident is not None and ident in self._asked:
            self._answered(
                ident, None, types.ResponseError(jsonrpc.INVALID_PARAMS, "a response that cannot be read")
            )

    def structure_message(self, data: dict[str, Any]) -> Any:
        """A message as LSP's type of its method. Raises JsonRpcInvalidParams.

        pygls' own logs a traceback with the message's text in it.
        """
        method = data.get("method")
        if method == types.INITIALIZED:
            # Some clients leave its empty params out.
            return types.InitializedNotification(types.InitializedParams())
        if method == types.CANCEL_REQUEST and not isinstance(dig(data, "params", "id"), int | str):
            raise JsonRpcInvalidParams
        try:
            return self._types.structure(data, self._type_of(data))
        except Exception as error:  # BaseValidationError, and whatever else a hook of cattrs' meets
            raise JsonRpcInvalidParams from error

    def _type_of(self, data: dict[str, Any]) -> Any:
        if "method" in data:
            fallback = JsonRPCRequestMessage if "id" in data else JsonRPCNotification
            return self.get_message_type(data["method"]) or fallback
        if "error" in data:
            return types.ResponseErrorMessage
        return self._asked.get(data["id"], (None, None))[1] or JsonRPCResponseMessage

    def handle_message(self, message: Any) -> None:
        """Dispatch one message.

        pygls' own answers a coroutine's result in the next turn of the loop, forgets a cancelled request before it is answered,
        and takes any response for the answer to a request of the server.
        """
        method: str | None = getattr(message, "method", None)
        ident: Any = getattr(message, "id", None)
        if method is None:
            if ident in self._asked:
                self._answered(ident, getattr(message, "result", None), getattr(message, "error", None))
            else:
                log.warning("a response to nothing that was asked")
        elif method == types.CANCEL_REQUEST:
            running = self._running.get(message.params.id)
            if running is not None and message.params.id in self._unanswered:
                running.task.cancel()
        elif ident is None:
            handler = self.fm.features.get(method)
            if handler is None:
                log.info("a notification of no known method")
                return
            self._run(object(), handler, message.params, _notified, None)
        else:
            self._request(ident, method, message.params)

    def _request(self, ident: int | str, method: str, params: Any) -> None:
        handler = self.fm.features.get(method)
        if handler is None:
            error = JsonRpcMethodNotFound.of(method)
            self._answer_error(ident, error.code, error.message)
            return
        self._run(
            ident, handler, params, lambda error, result: self._respond(ident, error, result), self._deadline
        )
        token, running = work_done_token(params), self._running.get(ident)
        if token is not None and running is not None:
            self._bars.expect(token, running.task)

    def _run(
        self,
        key: object,
        handler: Callable[[Any], Any],
        params: Any,
        report: Callable[[BaseException | None, Any], None],
        deadline: Deadline | None,
    ) -> None:
        """Call the handler, and report what becomes of it, once."""
        if not asyncio.iscoroutinefunction(handler):
            try:
                result = handler(params)
            except Exception as error:  # noqa: BLE001  (reported)
                report(error, None)
            else:
                report(None, result)
            return

        def ended(error: BaseException | None, result: Any) -> None:
            self._running.pop(key, None)
            report(error, result)

        self._running[key] = HandlerTask(partial(handler, params), ended, deadline)

    # -- out ---------------------------------------------------------------------------------------------------------

    def notify(self, method: str, params: Any = None) -> None:
        """Send a notification. pygls' own logs its params."""
        kind = self.get_message_type(method) or JsonRPCNotification
        self._write(kind(method=method, params=params, jsonrpc="2.0"))

    def send_request(
        self,
        method: str,
        params: Any = None,
        callback: Callable[[Any], None] | None = None,
        msg_id: int | str | None = None,
    ) -> Future[Any]:
        """Ask the client. pygls' own keeps these requests and the client's in one table, though both may use the same id."""
        while msg_id is None or msg_id in self._asked or msg_id in self._unanswered:
            msg_id = f"copydesk-{next(self._ids)}"
        future: Future[Any] = Future()
        if callback is not None:
            future.add_done_callback(lambda done: callback(done.result()))
        self._asked[msg_id] = future, self.get_result_type(method)
        kind = self.get_message_type(method) or JsonRPCRequestMessage
        self._write(kind(id=msg_id, method=method, params=params, jsonrpc="2.0"))
        return future

    def _answered(self, ident: int | str, result: Any, error: types.ResponseError | None) -> None:
        """The client has answered a request of ours."""
        future, _ = self._asked.pop(ident)
        if not future.set_running_or_notify_cancel():
            return  # nobody waits any more: `shutdown` came, or the task that asked was cancelled
        if error is not None:
            future.set_exception(JsonRpcException.from_error(error))
        else:
            future.set_result(result)

    def _respond(self, ident: int | str, error: BaseException | None, result: Any) -> None:
        """Answer a request of the client's. It gets an answer whatever goes wrong: it must not wait for ever."""
        if isinstance(error, asyncio.CancelledError):
            error = JsonRpcRequestCancelled("the request was cancelled")
        try:
            if error is None:
                self._unanswered.discard(ident)
                self._write(JsonRPCResponseMessage(id=ident, result=result, jsonrpc="2.0"))
            elif isinstance(error, JsonRpcException):
                self._unanswered.discard(ident)
                self._write(types.ResponseErrorMessage(id=ident, error=error.to_response_error()))
            else:
                log.error("a request failed", exc_info=error)
                self._fail(ident, error)
        except Exception as problem:
            log.error("a request could not be answered", exc_info=problem)
            self._fail(ident, problem)

    def _fail(self, ident: int | str, error: BaseException) -> None:
        """The last resort: an answer that cannot fail, unless there was one."""
        if ident in self._unanswered:
            reason = f"internal error ({type(error).__name__}); the server's log says where"
            self._answer_error(ident, jsonrpc.INTERNAL_ERROR, reason)

    def _answer_error(self, ident: int | str, code: int, reason: str) -> None:
        self._unanswered.discard(ident)
        self._write(jsonrpc.error_message(ident, code, reason))

    def _write(self, message: Any) -> None:
        try:
            text = serialise(self._types, message)
        except Exception as error:  # too deep, not JSON, or a mistake of ours
            log.error("a message could not be written", exc_info=error)
            ident = getattr(message, "id", None)
            if ident is None:
                return
            problem = "the result could not be written"
            if hasattr(message, "method"):
                self._answered(ident, None, types.ResponseError(jsonrpc.INTERNAL_ERROR, problem))
                return
            text = json.dumps(jsonrpc.error_message(ident, jsonrpc.INTERNAL_ERROR, problem))
        log.debug("sent %s", text)
        body = text.encode("ascii")
        self._connection.send(b"Content-Length: %d\r\n\r\n%s" % (len(body), body), superseding_key(message))


def _notified(error: BaseException | None, _: Any) -> None:
    """What became of a notification's handler."""
    if isinstance(error, JsonRpcException):
        log.warning("a notification was ignored: its params are not as agreed")
    elif error is not None and not isinstance(error, asyncio.CancelledError):
        log.error("a notification failed", exc_info=error)
