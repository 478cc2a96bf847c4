"""The composition root: constructs the services of one client's session and registers the handlers.

Every service gets what it needs as constructor arguments. Handlers know services; services know no handler.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from copydesk import __version__
from copydesk.quickfixes.words import contains_word
from copydesk_server.engine_process.client import HOST, Engine
from copydesk_server.engine_process.engine_state import EngineListeners
from copydesk_server.lsp import methods
from copydesk_server.lsp.action_maker import ActionMaker
from copydesk_server.lsp.alternatives import Alternatives
from copydesk_server.lsp.applying import Applying
from copydesk_server.lsp.background import BackgroundTasks
from copydesk_server.lsp.capabilities import NAME, commands, position_encoding
from copydesk_server.lsp.client import Client
from copydesk_server.lsp.client_capabilities import ClientCapabilities
from copydesk_server.lsp.configuration import Configuration
from copydesk_server.lsp.diagnostics import DiagnosticStore
from copydesk_server.lsp.documents import MIRRORED, Documents
from copydesk_server.lsp.edit_provider import EditProvider
from copydesk_server.lsp.edit_requests import EditRequests
from copydesk_server.lsp.edit_service import EditService
from copydesk_server.lsp.engine_configuration import EngineConfiguration
from copydesk_server.lsp.engine_display import EngineDisplay
from copydesk_server.lsp.engine_sync import EngineSync
from copydesk_server.lsp.fix_actions import FixActions
from copydesk_server.lsp.fix_all import FixAll
from copydesk_server.lsp.fix_menu import FixMenu
from copydesk_server.lsp.handlers.code_action import CodeActions, code_action
from copydesk_server.lsp.handlers.code_action_resolve import code_action_resolve
from copydesk_server.lsp.handlers.copydesk_diagnostics import copydesk_diagnostics
from copydesk_server.lsp.handlers.copydesk_edit import copydesk_edit
from copydesk_server.lsp.handlers.copydesk_program import copydesk_program
from copydesk_server.lsp.handlers.copydesk_status import copydesk_status
from copydesk_server.lsp.handlers.copydesk_visible_ranges import copydesk_visible_ranges
from copydesk_server.lsp.handlers.did_change_configuration import did_change_configuration
from copydesk_server.lsp.handlers.did_change_watched_files import did_change_watched_files
from copydesk_server.lsp.handlers.did_change_workspace_folders import did_change_workspace_folders
from copydesk_server.lsp.handlers.execute_command import execute_command
from copydesk_server.lsp.handlers.inline_completion import inline_completion
from copydesk_server.lsp.handlers.lifecycle import exit, initialized, set_trace, shutdown
from copydesk_server.lsp.handlers.prepare_rename import prepare_rename
from copydesk_server.lsp.handlers.rename import rename
from copydesk_server.lsp.handlers.selection_range import selection_range
from copydesk_server.lsp.handlers.text_synchronization import did_change, did_close, did_open
from copydesk_server.lsp.handlers.work_done_progress_cancel import work_done_progress_cancel
from copydesk_server.lsp.inline_completions import InlineCompletions
from copydesk_server.lsp.lint import Linting
from copydesk_server.lsp.logs import Log
from copydesk_server.lsp.manual_renames import ManualRenames
from copydesk_server.lsp.message_types import converter
from copydesk_server.lsp.model_advice import ModelAdvice
from copydesk_server.lsp.options import Options
from copydesk_server.lsp.prefetch import Prefetch
from copydesk_server.lsp.programs import Programs
from copydesk_server.lsp.progress import ProgressBars
from copydesk_server.lsp.project_files import ProjectFiles
from copydesk_server.lsp.proposed_fixes import Propose, ProposedFixes
from copydesk_server.lsp.protocol import CopydeskProtocol
from copydesk_server.lsp.refactoring_menu import RefactoringMenu
from copydesk_server.lsp.renaming import Renaming
from copydesk_server.lsp.request_deadline import RequestDeadline
from copydesk_server.lsp.session_lifecycle import Lifecycle
from copydesk_server.lsp.session_state import SessionState, workspace_folders
from copydesk_server.lsp.settings import SettingsStore
from copydesk_server.lsp.syntax_trees import SyntaxTrees
from copydesk_server.lsp.transport import Connection
from copydesk_server.lsp.unreadable import UnreadableChanges
from copydesk_server.lsp.verification import BackgroundVerifier, Verify
from copydesk_server.lsp.watching import Watching
from copydesk_server.lsp.workspace_fixes import WorkspaceFixes
from copydesk_server.lsp.workspace_imports import WorkspaceImports


class App:
    """One client's session. Only this class and tests see all of it.

    log: the process's, whose level the settings choose. engine, propose, verify: in place of the real ones, for tests.
    """

    def __init__(
        self,
        options: Options,
        connection: Connection,
        params: dict[str, Any],
        log: Log | None = None,
        *,
        engine: Callable[..., Engine] = Engine,
        propose: Propose | None = None,
        verify: Verify | None = None,
    ) -> None:
        """params: of the client's `initialize`, which was answered. Must be constructed on the event loop."""
        log = log or Log(quiet=options.quiet)
        server = self.server = LanguageServer(
            NAME, __version__, protocol_cls=CopydeskProtocol, converter_factory=converter
        )
        assert isinstance(server.protocol, CopydeskProtocol)
        protocol = self.protocol = server.protocol
        client = self.client = Client(server)
        tasks = self.tasks = BackgroundTasks()

        encoding = position_encoding(params["capabilities"])
        folders = workspace_folders(params)
        settings = self.settings = SettingsStore(client.report_problem)
        settings.set_roots(tuple(folders))
        documents = self.documents = Documents(
            encoding, lambda uri: max(MIRRORED, settings.of(uri).max_document_bytes)
        )
        capabilities = ClientCapabilities(params)
        state = self.state = SessionState(options, capabilities, encoding, folders, settings, documents)

        bars = self.bars = ProgressBars(client, tasks, can_create=capabilities.work_done_progress)
        configuration = Configuration(state, client, tasks)
        display = EngineDisplay(client, bars, status_notifications=capabilities.wants_status)
        deadline = RequestDeadline(settings)
        listeners = EngineListeners((display, deadline))
        self.engine = engine(state.engine_settings(), listeners, host=options.engine_host or HOST)
        protocol.connect(
            connection,
            deadline,
            bars,
            UnreadableChanges(documents, client),
        )
        projects = ProjectFiles(state, client)
        watching = Watching(state, client, tasks, self.engine, projects)
        EngineConfiguration(state, log, self.engine, projects, watching)
        self.started = asyncio.Event()
        self.lifecycle = Lifecycle(
            state,
            connection,
            log,
            protocol,
            tasks,
            self.engine,
            configuration,
            projects,
            watching,
            self.started,
        )

        # Before all others that subscribe to documents and ask the engine about one that has just changed.
        engine_sync = EngineSync(state, self.engine, client)
        diagnostics = self.diagnostics = DiagnosticStore(state, engine_sync)
        self.verifier = BackgroundVerifier(lambda: tuple(folders), lambda: state.untrusted)
        verify = verify or self.verifier
        imports = WorkspaceImports(state)
        renames = ManualRenames(documents, propose or ProposedFixes(state, self.verifier.ruff, imports))
        propose = renames
        requests = EditRequests(state, diagnostics)
        edits = self.edits = EditService(state, self.engine, engine_sync, bars, propose, verify, self.started)
        prefetch = self.prefetch = Prefetch(state, tasks, self.engine, diagnostics, requests, edits)
        renames.subscribe(
            lambda document, name: prefetch.forget(document, lambda each: contains_word(each.message, name))
        )
        programs = Programs(documents, encoding)
        self.linting = Linting(state, client, tasks, engine_sync, diagnostics, self.verifier)
        self.linting.subscribe(display.linting)
        fix_all = FixAll(state, bars, diagnostics, requests, edits, prefetch, verify)
        renaming = Renaming(state, bars)
        advice = ModelAdvice(client, self.engine)
        provider = EditProvider(edits, prefetch, fix_all, programs, renaming, advice)
        applying = Applying(state, client)
        alternatives = Alternatives(state, client, tasks, programs, applying)
        trees = SyntaxTrees(state)
        refactorings = RefactoringMenu(state, trees)
        maker = ActionMaker(state)
        menu = FixMenu(state, tasks, engine_sync, imports, propose, verify)
        workspace_fixes = WorkspaceFixes(
            state, client, tasks, bars, requests, imports, applying, self.verifier.ruff
        )
        fixes = FixActions(state, diagnostics, prefetch, programs, menu, maker, workspace_fixes)
        ghost_text = InlineCompletions(state, client, diagnostics, prefetch, menu)
        actions = CodeActions(state, self.engine, diagnostics, fixes, refactorings, maker)

        structure = protocol.structure
        handlers: dict[str, Callable[[Any], Any]] = {
            types.INITIALIZED: initialized(self.lifecycle),
            types.SHUTDOWN: shutdown(self.lifecycle),
            types.EXIT: exit(self.lifecycle),
            types.SET_TRACE: set_trace(),
            types.TEXT_DOCUMENT_DID_OPEN: did_open(documents),
            types.TEXT_DOCUMENT_DID_CHANGE: did_change(documents),
            types.TEXT_DOCUMENT_DID_CLOSE: did_close(documents),
            types.TEXT_DOCUMENT_CODE_ACTION: code_action(actions),
            types.CODE_ACTION_RESOLVE: code_action_resolve(
                state, maker, client, requests, provider, refactorings, alternatives, workspace_fixes
            ),
            types.TEXT_DOCUMENT_PREPARE_RENAME: prepare_rename(renaming),
            types.TEXT_DOCUMENT_RENAME: rename(renaming),
            types.TEXT_DOCUMENT_SELECTION_RANGE: selection_range(state, trees),
            types.WORKSPACE_EXECUTE_COMMAND: execute_command(
                client, requests, provider, applying, alternatives, ghost_text, workspace_fixes
            ),
            types.WORKSPACE_DID_CHANGE_CONFIGURATION: did_change_configuration(
                configuration, pull=capabilities.configuration
            ),
            types.WORKSPACE_DID_CHANGE_WATCHED_FILES: did_change_watched_files(watching),
            types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: did_change_workspace_folders(
                state, tasks, configuration, projects, watching
            ),
            types.WINDOW_WORK_DONE_PROGRESS_CANCEL: work_done_progress_cancel(bars),
            methods.EDIT: copydesk_edit(
                structure, encoding, client, diagnostics, requests, provider, alternatives
            ),
            methods.PROGRAM: copydesk_program(programs),
            methods.STATUS: copydesk_status(state, self.engine, self.linting, ghost_text),
            methods.DIAGNOSTICS: copydesk_diagnostics(structure, diagnostics),
            methods.VISIBLE_RANGES: copydesk_visible_ranges(structure, documents, self.engine, diagnostics),
        }
        if capabilities.inline_completion:
            handlers[types.TEXT_DOCUMENT_INLINE_COMPLETION] = inline_completion(ghost_text)
        for method, handler in handlers.items():
            server.feature(method)(handler)
        for command in commands(params["capabilities"]):
            server.command(command)(handlers[types.WORKSPACE_EXECUTE_COMMAND])
