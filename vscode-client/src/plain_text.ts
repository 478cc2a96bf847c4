// Text as it stands, where VS Code takes something else.

/** In Markdown. (`MarkdownString.appendText` makes all spaces non-breaking: a sentence would not wrap.) */
export function inMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!|<>&~$]/g, "\\$&").replace(/\n/g, "  \n");
}

/** In a comment thread's label, which VS Code escapes as HTML and then shows as text: `<` would read `&lt;`. */
export function inLabel(text: string): string {
  return text.replaceAll("<", "‹").replaceAll(">", "›").replaceAll("&", "＆");
}
