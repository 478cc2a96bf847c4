// Another extension that owns the diagnostics: what ruff says of each Python document, published anew after each change.
// RUFF_OF_ANOTHER names the program. Copydesk knows nothing of it but what VS Code says.

const { execFile } = require("node:child_process");
const vscode = require("vscode");

exports.activate = (context) => {
    const found = vscode.languages.createDiagnosticCollection("linter-of-another");
    const check = (document) => {
        if (document.languageId !== "python" || !["file", "untitled"].includes(document.uri.scheme)) {
            return;
        }
        const { version } = document;
        const args = [
            "check",
            "--isolated",
            "--no-cache",
            "--extend-select",
            "E711",
            "--exit-zero",
            "--output-format",
            "json",
            "--stdin-filename",
            "a.py",
            "-",
        ];
        const ruff = execFile(process.env.RUFF_OF_ANOTHER, args, (error, out) => {
            if (!error && document.version === version) {
                found.set(
                    document.uri,
                    JSON.parse(out).map((one) => diagnostic(document, one)),
                );
            }
        });
        ruff.stdin.end(document.getText());
    };
    vscode.workspace.textDocuments.forEach(check);
    context.subscriptions.push(
        found,
        vscode.workspace.onDidOpenTextDocument(check),
        vscode.workspace.onDidChangeTextDocument((event) => check(event.document)),
        vscode.workspace.onDidCloseTextDocument((document) => found.delete(document.uri)),
    );
};

// ruff counts code points, VS Code UTF-16 units.
function place(document, { row, column }) {
    const line = row - 1 < document.lineCount ? document.lineAt(row - 1).text : "";
    return new vscode.Position(row - 1, [...line].slice(0, column - 1).join("").length);
}

function diagnostic(document, one) {
    const range = new vscode.Range(place(document, one.location), place(document, one.end_location));
    const shown = new vscode.Diagnostic(range, one.message, vscode.DiagnosticSeverity.Warning);
    shown.source = "Another";
    shown.code = { value: one.code, target: vscode.Uri.parse(one.url) };
    return shown;
}
