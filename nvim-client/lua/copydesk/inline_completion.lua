-- Ghost text: Neovim's own inline completion, from 0.12 on, for copydesk's client alone and where the setting asks for it. Which
-- key accepts it is the person's choice.

local compat = require("copydesk.compat")
local options = require("copydesk.options")
local position = require("copydesk.position")

local M = {}

M.supported = vim.fn.has("nvim-0.12") == 1

--- A client of ours was attached to a buffer.
function M.attached(client, buf)
  if M.supported and options.get().settings.inlineCompletions == true then
    vim.lsp.inline_completion.enable(true, { bufnr = buf, client_id = client.id })
  end
end

--- `copydesk/inlineCompletions`: there is more to show than when Neovim asked last, which it does when something is typed. It asks
--- again where the cursor is still there.
function M.again(params, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  local buf = vim.api.nvim_get_current_buf()
  if
    not M.supported
    or not client
    or not vim.startswith(vim.api.nvim_get_mode().mode, "i")
    or vim.uri_from_bufnr(buf) ~= params.uri
    or compat.version(buf) ~= params.version
  then
    return
  end
  local row, byte = unpack(vim.api.nvim_win_get_cursor(0))
  local character = position.character(vim.api.nvim_get_current_line(), byte, client.offset_encoding)
  if row - 1 ~= params.position.line or character ~= params.position.character then
    return
  end
  -- There is no function for it: what it does when the cursor has moved, and nobody else.
  pcall(vim.api.nvim_exec_autocmds, "CursorMovedI", {
    group = ("nvim.lsp.inline_completion:%d"):format(buf),
    buffer = buf,
    modeline = false,
  })
end

return M
