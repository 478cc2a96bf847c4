"""JSON-RPC after `initialize`: exactly one response per request, no traceback to the client, no text in the log.

pygls provides the registry of handlers, LSP's types by method, and typed calls to the client. These end in `notify` and
`send_request`, two public methods that are overridden here, each for the reason it gives. No private member of pygls is
overridden or used, and messages are neither read nor dispatched by it: its way logs their text, sends a coroutine's result in
the next turn of the loop (where a change of the document may have come first), forgets a cancelled request before it is answered,
and takes any response for an answer.
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
        method, ident = message.get("method"), message.get("id")
        try:
            if method is None:
                self._response(message)
            elif ident is None:
                self._notification(message, method)
            else:
                self._request(message, method, ident)
        except Exception as error:  # one message that nobody foresaw must not end the session
            log.error("a message could not be handled", exc_info=error)
            if method is not None and ident is not None:
                self._fail(ident, error)

    def _request(self, message: jsonrpc.Message, method: str, ident: int | str) -> None:
        if ident in self._unanswered or ident in self._asked:
            reason = "a request of this id is being answered"
            self._write(jsonrpc.error_message(ident, jsonrpc.INVALID_REQUEST, reason))
            return
        self._unanswered.add(ident)
        if method == types.INITIALIZE or self._ended:
            when = "after shutdown" if self._ended else "once more"
            self._answer_error(ident, jsonrpc.INVALID_REQUEST, f"{method} {when}")
            return
        try:
            params = self._structured(message).params
        except JsonRpcInvalidParams:
            self._answer_error(ident, jsonrpc.INVALID_PARAMS, f"the params of {method} are not LSP's")
            return
        handler = self.fm.features.get(method)
        if handler is None:
            error = JsonRpcMethodNotFound.of(method)
            self._answer_error(ident, error.code, error.message)
            return
        running = self._run(ident, handler, params, partial(self._respond, ident), self._deadline)
        token = work_done_token(params)
        if token is not None and running is not None:
            self._bars.expect(token, running.task)

    def _notification(self, message: jsonrpc.Message, method: str) -> None:
        if self._ended and method != types.EXIT:
            return
        try:
            params = self._structured(message).params
        except JsonRpcInvalidParams:
            log.warning("the params of %s are not LSP's: ignored", method)
            self._unreadable.one(incoming.changed_document(message))
            return
        if method == types.CANCEL_REQUEST:
            running = self._running.get(params.id)
            if running is not None:
                running.task.cancel()
        elif (handler := self.fm.features.get(method)) is None:
            log.info("a notification of no known method")
        else:
            key = object()
            self._run(key, handler, params, partial(self._notified, key), None)

    def _response(self, message: jsonrpc.Message) -> None:
        ident: int | str = message["id"]
        if ident not in self._asked:
            log.warning("a response to nothing that was asked")
            return
        try:
            answer = self._structured(message)
        except JsonRpcInvalidParams:
            self._unreadable_answer(ident)
        else:
            self._answered(ident, getattr(answer, "result", None), getattr(answer, "error", None))

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

    def _unreadable_answer(self, ident: int | str | None) -> None:
        """The answer to a question of ours cannot be read: that is an answer too."""
        if ident is not None and ident in self._asked:
            self._answered(
                ident, None, types.ResponseError(jsonrpc.INVALID_PARAMS, "a response that cannot be read")
            )

    def _structured(self, message: jsonrpc.Message) -> Any:
        """A message as LSP's type of its method. Raises JsonRpcInvalidParams."""
        method = message.get("method")
        if method == types.INITIALIZED:
            # Some clients leave its empty params out.
            return types.InitializedNotification(types.InitializedParams())
        if method == types.CANCEL_REQUEST and not isinstance(dig(message, "params", "id"), int | str):
            raise JsonRpcInvalidParams
        if method is not None:
            fallback = JsonRPCRequestMessage if "id" in message else JsonRPCNotification
            kind: Any = self.get_message_type(method) or fallback
        elif "error" in message:
            kind = types.ResponseErrorMessage
        else:
            kind = self._asked[message["id"]][1] or JsonRPCResponseMessage
        try:
            return self._types.structure(message, kind)
        except Exception as error:  # BaseValidationError, and whatever else a hook of cattrs' meets
            raise JsonRpcInvalidParams from error

    def _run(
        self,
        key: object,
        handler: Callable[[Any], Any],
        params: Any,
        report: Callable[[BaseException | None, Any], None],
        deadline: Deadline | None,
    ) -> HandlerTask | None:
        """Call the handler, and report what becomes of it, once. Returns what runs on, which is kept under `key` until then."""
        if asyncio.iscoroutinefunction(handler):
            running = self._running[key] = HandlerTask(partial(handler, params), report, deadline)
            return running
        try:
            result = handler(params)
        except Exception as error:  # noqa: BLE001  (reported)
            report(error, None)
        else:
            report(None, result)
        return None

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
        self._running.pop(ident, None)
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

    def _notified(self, key: object, error: BaseException | None, _: Any) -> None:
        """What became of a notification's handler."""
        self._running.pop(key, None)
        if isinstance(error, JsonRpcException):
            log.warning("a notification was ignored: its params are not as agreed")
        elif error is not None and not isinstance(error, asyncio.CancelledError):
            log.error("a notification failed", exc_info=error)

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
