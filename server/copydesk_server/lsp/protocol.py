"""pygls' protocol, made strict and discreet: one response per request, no traceback to the client, no text in the log.

What is replaced: pygls' own copies of documents (`documents.py` has them), its lifecycle (`session.py` answers `initialize`), how
errors are told. Custom methods' params stay plain JSON. Knows no feature.
"""

from __future__ import annotations

import asyncio
import contextvars
import json
import logging
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, TypeVar

from cattrs.errors import BaseValidationError
from lsprotocol import converters, types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams, JsonRpcRequestCancelled
from pygls.protocol import (
    JsonRPCNotification,
    JsonRPCRequestMessage,
    JsonRPCResponseMessage,
    LanguageServerProtocol,
    lsp_method,
)

from copydesk_server.lsp import incoming, jsonrpc
from copydesk_server.lsp.capabilities import dig

if TYPE_CHECKING:
    from cattrs import Converter

    from copydesk_server.lsp.server import CopydeskServer
    from copydesk_server.lsp.transport import Connection

T = TypeVar("T")

log = logging.getLogger(__name__)

STATUS = "copydesk/status"
ENDING = 1.0
"""Seconds that a request whose time is over is given to take back what it has shown."""

BUILT_IN = (
    "lsp_initialized",
    "lsp_shutdown",
    "lsp_exit",
    "lsp_text_document__did_open",
    "lsp_text_document__did_change",
    "lsp_text_document__did_close",
    "lsp_workspace__did_change_workspace_folders",
    "lsp_workspace__execute_command",
    "lsp_work_done_progress_cancel",
    "lsp_set_trace",
)
"""Of pygls' own features, those that do not touch its copies of documents."""


def converter() -> Converter:
    """LSP's types, and plain JSON for messages LSP does not have."""
    made = converters.get_converter()
    for fallback in (JsonRPCRequestMessage, JsonRPCNotification):
        made.register_structure_hook(
            fallback, lambda message, cls: cls(**{"params": None, **{k: message[k] for k in message}})
        )
    made.register_structure_hook(JsonRPCResponseMessage, lambda message, cls: cls(**message))
    return made


class CopydeskProtocol(LanguageServerProtocol):
    """Messages in and out. `receive` takes one body; everything after `initialize` comes through it."""

    _server: CopydeskServer

    def __init__(self, server: CopydeskServer, converter: Converter) -> None:
        super().__init__(server, converter)
        self._asked: set[int | str] = set()  # ids of our own requests, which may look like the client's
        self._unanswered: set[int | str] = set()  # ids of the client's requests
        self._connection: Connection | None = None

    def _register_builtin_features(self) -> None:
        for name in BUILT_IN:
            method = getattr(self, name)
            self.fm.add_builtin_feature(method.method_name, method)

    def connect(self, connection: Connection, params: dict[str, Any]) -> None:
        """Go on from an `initialize` that was answered already."""
        self._connection = connection
        try:
            said = self._converter.structure(params["capabilities"], types.ClientCapabilities)
        except (BaseValidationError, TypeError, ValueError, AttributeError):
            # Features ask `server.client`, which reads what can be read.
            log.warning("the client's capabilities are not LSP's")
            said = types.ClientCapabilities()
        self.client_capabilities = said

    def structure(self, value: Any, kind: type[T]) -> T:
        """One of LSP's types from plain JSON. Raises what cattrs does, and ValueError."""
        made: T = self._converter.structure(value, kind)
        return made

    @property
    def ended(self) -> bool:
        """`shutdown` was asked for."""
        return bool(self._shutdown)

    # -- in ----------------------------------------------------------------------------------------------------------

    def receive(self, body: bytes) -> None:
        """Handle one message. Raises: never; what is wrong with it is answered or logged."""
        try:
            message = incoming.decode(body)
        except jsonrpc.MessageError as error:
            self._refuse(error)
            if error.message is None and incoming.may_change_a_document(body):
                self._lose_all()
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
            self.send(answer)
        else:
            log.warning("a message was dropped: %s", error)
        if message is not None and "method" not in message:
            self._unreadable_answer(error.ident)
        self._lose(incoming.changed_document(message))

    def _lose(self, uri: str | None) -> None:
        """The text of a document is not known any more: better none than a wrong one."""
        if uri is not None and self._server.documents.get(uri) is not None:
            log.warning("a document is left alone until it is opened again: a change of it could not be read")
            self._server.documents.close(uri)

    def _lose_all(self) -> None:
        """A change could not be read at all, so it may be any document's. The person is told: nothing else shows it."""
        lost = [document.uri for document in self._server.documents]
        for uri in lost:
            self._server.documents.close(uri)
        if lost:
            self._server.say_once(
                "unreadable-change",
                "copydesk could not read a change that the editor sent, and leaves open files alone until they are opened again.",
            )

    def _take(self, message: jsonrpc.Message) -> None:
        method, ident = message.get("method"), message.get("id")
        if method is not None and ident is not None:
            if ident in self._unanswered or ident in self._request_futures:
                reason = "a request of this id is being answered"
                self.send(jsonrpc.error_message(ident, jsonrpc.INVALID_REQUEST, reason))
                return
            self._unanswered.add(ident)
            if method == types.INITIALIZE or self._shutdown:
                when = "after shutdown" if self._shutdown else "once more"
                self._answer_error(ident, jsonrpc.INVALID_REQUEST, f"{method} {when}")
                return
        elif method is not None and self._shutdown and method != types.EXIT:
            return
        try:
            structured = self.structure_message(message)
        except JsonRpcInvalidParams:
            self._refuse_params(message)
            return
        contextvars.copy_context().run(self._dispatch, structured, method, ident)

    def _dispatch(self, message: Any, method: str | None, ident: int | str | None) -> None:
        if method is None:
            if ident in self._asked:
                self._asked.discard(ident)
                self._handle_response(
                    ident, getattr(message, "result", None), getattr(message, "error", None)
                )
            else:
                log.warning("a response to nothing that was asked")
        elif ident is None:
            self._handle_notification(method, message.params)
        else:
            self._handle_request(ident, method, message.params)
            token = _work_done_token(message.params)
            task: Any = self._request_futures.get(ident)
            if token is not None and isinstance(task, asyncio.Future):
                self._server.bars.expect(token, task)

    def _handle_response(
        self, msg_id: int | str, result: Any = None, error: types.ResponseError | None = None
    ) -> None:
        future = self._request_futures.get(msg_id)
        if future is not None and future.done():
            # Nobody waits any more: `shutdown` came, or the task that asked was cancelled.
            self._request_futures.pop(msg_id, None)
            return
        super()._handle_response(msg_id, result, error)

    def _refuse_params(self, message: jsonrpc.Message) -> None:
        method, ident = message.get("method"), message.get("id")
        if method is None:
            self._unreadable_answer(ident)
        elif ident is not None:
            self._answer_error(ident, jsonrpc.INVALID_PARAMS, f"the params of {method} are not LSP's")
        else:
            log.warning("the params of %s are not LSP's: ignored", method)
            self._lose(incoming.changed_document(message))

    def _unreadable_answer(self, ident: int | str | None) -> None:
        """The answer to a question of ours cannot be read: that is an answer too."""
        if ident is not None and ident in self._asked:
            self._asked.discard(ident)
            problem = types.ResponseError(jsonrpc.INVALID_PARAMS, "a response that cannot be read")
            self._handle_response(ident, None, problem)

    def structure_message(self, data: dict[str, Any]) -> Any:
        """A message as LSP's type of its method: whole, as pygls does, but without its traceback of everything that is wrong.

        Raises JsonRpcInvalidParams.
        """
        method = data.get("method")
        if method == types.INITIALIZED:
            # Some clients leave its empty params out.
            return types.InitializedNotification(types.InitializedParams())
        if method == types.CANCEL_REQUEST and not isinstance(dig(data, "params", "id"), int | str):
            raise JsonRpcInvalidParams
        try:
            return self._converter.structure(data, self._type_of(data))
        except Exception as error:  # BaseValidationError, and whatever else a hook of cattrs' meets
            raise JsonRpcInvalidParams from error

    def _type_of(self, data: dict[str, Any]) -> Any:
        if "method" in data:
            fallback = JsonRPCRequestMessage if "id" in data else JsonRPCNotification
            return self.get_message_type(data["method"]) or fallback
        if "error" in data:
            return types.ResponseErrorMessage
        return self._result_types.pop(data["id"], None) or JsonRPCResponseMessage

    def _handle_cancel_notification(self, msg_id: int | str) -> None:
        # Only the client's own requests; pygls keeps ours in the same place, and forgets a request before it is answered.
        future = self._request_futures.get(msg_id) if msg_id in self._unanswered else None
        if future is not None:
            future.cancel()

    # -- out ---------------------------------------------------------------------------------------------------------

    def send(self, message: jsonrpc.Message) -> None:
        """Send one message as it is."""
        self._send_data(message)

    def _send_data(self, data: Any) -> None:
        assert self._connection is not None
        try:
            text = self._written(data)
        except Exception as error:  # too deep, not JSON, or a mistake of ours
            log.error("a message could not be written", exc_info=error)
            ident = getattr(data, "id", None)
            if ident is None:
                return
            problem = "the result could not be written"
            if hasattr(data, "method"):
                self._asked.discard(ident)
                self._handle_response(ident, None, types.ResponseError(jsonrpc.INTERNAL_ERROR, problem))
                return
            text = json.dumps(jsonrpc.error_message(ident, jsonrpc.INTERNAL_ERROR, problem))
        log.debug("sent %s", text)
        body = text.encode("ascii")
        self._connection.send(b"Content-Length: %d\r\n\r\n%s" % (len(body), body), _superseding(data))

    def _written(self, data: Any) -> str:
        return json.dumps(data, default=self._serialize_message, separators=(",", ":"))

    def _send_response(
        self, msg_id: int | str, result: Any = None, error: types.ResponseError | None = None
    ) -> None:
        self._unanswered.discard(msg_id)
        super()._send_response(msg_id, result, error)

    def send_request(
        self, method: str, params: Any = None, callback: Any = None, msg_id: Any = None
    ) -> Future[Any]:
        """As pygls does. The id is remembered, so that nothing else is taken for the answer."""
        while msg_id is None or msg_id in self._request_futures:
            msg_id = self._server.next_id()
        self._asked.add(msg_id)
        return super().send_request(method, params, callback, msg_id)

    def _send_handler_result(self, future: Future[Any], *, msg_id: int | str) -> None:
        self._request_futures.pop(msg_id, None)
        try:
            self._answer(future, msg_id)
        except Exception as error:  # whatever it is, the client must not wait for ever
            log.error("a request could not be answered", exc_info=error)
            self._fail(msg_id, error)

    def _answer(self, future: Future[Any], msg_id: int | str) -> None:
        if future.cancelled():
            error: BaseException | None = JsonRpcRequestCancelled("the request was cancelled")
        else:
            error = future.exception()
        if error is None:
            self._send_response(msg_id, result=future.result())
        elif isinstance(error, JsonRpcException):
            self._send_response(msg_id, error=error.to_response_error())
        else:
            log.error("a request failed", exc_info=error)
            self._fail(msg_id, error)

    def _fail(self, msg_id: int | str, error: BaseException) -> None:
        """The last resort: an answer that cannot fail, unless there was one."""
        if msg_id in self._unanswered:
            reason = f"internal error ({type(error).__name__}); the server's log says where"
            self._answer_error(msg_id, jsonrpc.INTERNAL_ERROR, reason)

    def _answer_error(self, msg_id: int | str, code: int, reason: str) -> None:
        self._unanswered.discard(msg_id)
        self.send(jsonrpc.error_message(msg_id, code, reason))

    def _check_handler_result(self, future: Future[Any]) -> None:
        error = None if future.cancelled() else future.exception()
        if isinstance(error, JsonRpcException):
            log.warning("a notification was ignored: its params are not as agreed")
        elif error is not None:
            log.error("a notification failed", exc_info=error)

    def _execute_handler(
        self, msg_id: Any, handler: Any, callback: Any, args: Any = None, kwargs: Any = None
    ) -> None:
        """As pygls does, but a coroutine's answer leaves in the turn of the loop in which it is there: pygls' leaves in the next,
        and a change that comes in between would make an edit one of a version that is gone.
        """
        if not asyncio.iscoroutinefunction(handler):
            super()._execute_handler(msg_id, handler, callback, args, kwargs)
            return
        outcome: Future[Any] = Future()
        timers: list[asyncio.TimerHandle] = []

        async def answer() -> None:
            try:
                result = await handler(*(args or ()), **(kwargs or {}))
            except asyncio.CancelledError:
                settle(self._overdue() if timers[1:] else None)
            except Exception as error:  # noqa: BLE001  (the callback answers it)
                settle(error)
            else:
                settle(None, result)

        def settle(error: Exception | None, *result: Any) -> None:
            for timer in timers:
                timer.cancel()
            if outcome.done():
                return
            if error is not None:
                outcome.set_exception(error)
            elif result:
                outcome.set_result(result[0])
            else:
                outcome.cancel()
            callback(outcome)

        def expire() -> None:
            # What it has shown is taken back first; but what does not end is not waited for either.
            timers.append(asyncio.get_running_loop().call_later(ENDING, lambda: settle(self._overdue())))
            task.cancel()

        task: Any = asyncio.ensure_future(answer())
        self._request_futures[msg_id] = task
        if msg_id in self._unanswered:
            seconds = self._server.settings.of(None).request_timeout
            timers.append(asyncio.get_running_loop().call_later(seconds, expire))
        # A task that is cancelled before its first step has never begun.
        task.add_done_callback(lambda _: settle(None))

    def _overdue(self) -> JsonRpcException:
        seconds, state = self._server.settings.of(None).request_timeout, self._server.engine.state
        why = {
            "loading": "; the model is still loading",
            "restarting": "; the engine is being started again",
        }.get(state, "")
        return JsonRpcException(
            f"no answer within {seconds:g} seconds (the setting `requestTimeout`){why}",
            jsonrpc.REQUEST_FAILED,
        )

    def cancel_all(self) -> None:
        """Whatever is being answered, or waited for: nobody wants it any more."""
        for future in list(self._request_futures.values()):
            if not future.done():
                future.cancel()

    # -- LSP's own methods -------------------------------------------------------------------------------------------

    @lsp_method(types.INITIALIZED)
    def lsp_initialized(self, *_: Any) -> None:
        """The client may be asked from now on."""
        self._server.begin()

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, *_: Any) -> None:  # type: ignore[override]
        """Nothing is worked on any more: what is in flight is answered as cancelled, and the model goes."""
        self._shutdown = True
        self._server.wind_down()

    @lsp_method(types.EXIT)
    def lsp_exit(self, *_: Any) -> None:  # type: ignore[override]
        """The end, whatever is going on."""
        self._server.exit_code = 0 if self._shutdown else 1

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """A document to look after."""
        self._server.documents.open(params.text_document)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """The client's text changed, one change after the other."""
        document = params.text_document
        self._server.documents.change(document.uri, document.version, params.content_changes)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """The file system has the document again."""
        self._server.documents.close(params.text_document.uri)

    @lsp_method(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def lsp_workspace__did_change_workspace_folders(
        self, params: types.DidChangeWorkspaceFoldersParams
    ) -> None:
        """Folders came and went."""
        self._server.folders_changed(params.event.added, params.event.removed)

    @lsp_method(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
    def lsp_work_done_progress_cancel(self, params: types.WorkDoneProgressCancelParams) -> None:
        """The person pressed a progress bar's cancel."""
        if isinstance(params.token, int | str):  # LSP's types let anything through
            self._server.bars.cancelled(params.token)


def _superseding(data: Any) -> str | None:
    """What all messages share of which only the last one counts; None for all others."""
    method: str | None = getattr(data, "method", None)
    params: Any = getattr(data, "params", None)
    if method == types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS:
        return f"{method} {params.uri}"
    if method == types.PROGRESS and isinstance(params.value, types.WorkDoneProgressReport):
        return f"{method} {params.token!r}"
    return STATUS if method == STATUS else None


def _work_done_token(params: Any) -> int | str | None:
    """Of a request's params, LSP's own or ours."""
    token = (
        dig(params, "workDoneToken") if isinstance(params, dict) else getattr(params, "work_done_token", None)
    )
    return token if isinstance(token, (int, str)) else None
