-- `copydesk/diagnostics`: all that is known of a buffer, whoever found it. A code action's own context holds no more than what
-- copydesk's server published itself. Knows Neovim's diagnostics and LSP's.

local compat = require("copydesk.compat")
local position = require("copydesk.position")

local M = {}

local function place(lines, row, byte, encoding)
  row = math.max(0, math.min(row, #lines))
  return { line = row, character = position.character(lines[row + 1] or "", byte, encoding) }
end

--- Neovim's diagnostics as LSP has them. lines: the buffer's.
function M.as_lsp(found, lines, encoding)
  local converted = {}
  for _, one in ipairs(found) do
    local code = one.code
    converted[#converted + 1] = {
      range = {
        start = place(lines, one.lnum, one.col, encoding),
        ["end"] = place(lines, one.end_lnum or one.lnum, one.end_col or one.col, encoding),
      },
      message = one.message,
      severity = one.severity,
      source = one.source,
      code = (type(code) == "string" or type(code) == "number") and code or nil,
    }
  end
  return converted
end

--- Say what is known of a buffer as it stands.
function M.send(client, buf)
  local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  compat.notify(client, "copydesk/diagnostics", {
    uri = vim.uri_from_bufnr(buf),
    version = compat.version(buf),
    diagnostics = M.as_lsp(vim.diagnostic.get(buf), lines, client.offset_encoding),
  })
end

return M
