"""Drives `zubi lsp` with pytest-lsp, whose client refuses every message that is not as LSP has it.

Environment: ZUBI the program. The current directory is a copy of examples/bank.
"""

import asyncio
import os
import pathlib

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities, make_test_lsp_client

ROOT = pathlib.Path.cwd()
ACCOUNTS = ROOT / "domains" / "accounts.dlang"
TIMEOUT = 60


def make_client() -> LanguageClient:
    client = make_test_lsp_client()

    # The editors it plays let servers register for changes of files; its client itself does not answer that.
    @client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def registered(params: types.RegistrationParams) -> None:
        client.registrations = [registration.method for registration in params.registrations]

    return client


@pytest_lsp.fixture(
    params=["visual_studio_code@v1.65", "neovim@v0.11", "emacs@v29.1"],
    config=ClientServerConfig(server_command=[os.environ["ZUBI"], "lsp"], client_factory=make_client),
)
async def client(request: pytest.FixtureRequest, lsp_client: LanguageClient):
    folder = types.WorkspaceFolder(uri=ROOT.as_uri(), name="bank")
    params = types.InitializeParams(
        capabilities=client_capabilities(request.param), workspace_folders=[folder], root_uri=folder.uri
    )
    await asyncio.wait_for(lsp_client.initialize_session(params), TIMEOUT)
    yield
    await asyncio.wait_for(lsp_client.shutdown_session(), TIMEOUT)


class Document:
    """An open document: its text, as the client knows it."""

    def __init__(self, client: LanguageClient, path: pathlib.Path) -> None:
        self.client, self.text, self.version = client, path.read_text(encoding="utf-8"), 1
        self.uri = path.as_uri()
        self.id = types.TextDocumentIdentifier(uri=self.uri)
        item = types.TextDocumentItem(uri=self.uri, language_id="domain-lang", version=1, text=self.text)
        client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))

    def replace(self, text: str) -> None:
        self.text, self.version = text, self.version + 1
        document = types.VersionedTextDocumentIdentifier(uri=self.uri, version=self.version)
        whole = types.TextDocumentContentChangeWholeDocument(text=text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [whole]))

    def behind(self, text: str) -> types.Position:
        """The place behind a piece of the text, which is ASCII up to there on its line."""
        before = self.text[: self.text.index(text) + len(text)]
        return types.Position(before.count("\n"), len(before) - before.rfind("\n") - 1)

    async def problems(self) -> list[types.Diagnostic]:
        """Pulled if this editor pulls, else what was published last."""
        if self.client.capabilities.text_document.diagnostic is not None:
            params = types.DocumentDiagnosticParams(self.id)
            return list((await self.client.text_document_diagnostic_async(params)).items)
        await self.client.wait_for_notification("textDocument/publishDiagnostics")
        return list(self.client.diagnostics.get(self.uri, []))

    async def until(self, is_right) -> list[types.Diagnostic]:
        """The problems as soon as they are right."""
        while not is_right(found := await self.problems()):
            pass
        return found


@pytest.mark.asyncio
async def test_editing(client: LanguageClient) -> None:
    await asyncio.wait_for(edit(client), TIMEOUT)


async def edit(client: LanguageClient) -> None:
    document = Document(client, ACCOUNTS)
    original = document.text

    # A mistake is typed and told, with a quick fix.
    document.replace(original + "bc Extra for Nowhere by CoreBankin\n")
    wrong = await document.until(lambda found: any("CoreBankin" in problem.message for problem in found))
    problem = next(problem for problem in wrong if "CoreBankin" in problem.message)
    context = types.CodeActionContext(diagnostics=[problem])
    actions = await client.text_document_code_action_async(
        types.CodeActionParams(document.id, problem.range, context)
    )
    assert any("CoreBanking" in action.title for action in actions), actions
    document.replace(original)
    assert await document.until(lambda found: not found) == []

    # What stands there, and what may.
    hover = await client.text_document_hover_async(types.HoverParams(document.id, document.behind("bc Ledger")))
    assert "Ledger" in hover.contents.value
    completion = await client.text_document_completion_async(
        types.CompletionParams(document.id, document.behind("Accounts by "))
    )
    items = completion if isinstance(completion, list) else completion.items
    assert "CoreBanking" in [item.label for item in items]

    # A new name reaches every file that says the old one.
    renamed = await client.text_document_rename_async(
        types.RenameParams(document.id, document.behind("bc Onboarding"), "Welcome")
    )
    edits = {change.text_document.uri: change.edits for change in renamed.document_changes or []}
    edits.update(renamed.changes or {})
    assert {uri.removeprefix(ROOT.as_uri() + "/") for uri in edits} == {"domains/accounts.dlang", "index.dlang"}

    # What was typed askew stands as it should.
    document.replace(original + "Team    Later\n")
    formatted = await client.text_document_formatting_async(
        types.DocumentFormattingParams(document.id, types.FormattingOptions(tab_size=4, insert_spaces=True))
    )
    assert formatted
