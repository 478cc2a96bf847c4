-- What copydesk's server is told of a buffer beyond LSP: what other tools found in it, and which lines are in sight. What it shows
-- there by itself is switched on.
-- Knows when; what is sent is `diagnostics.lua`'s and `visible.lua`'s.

local compat = require("copydesk.compat")
local diagnostics = require("copydesk.diagnostics")
local inline_completion = require("copydesk.inline_completion")
local options = require("copydesk.options")
local visible = require("copydesk.visible")

local M = {}

local uv = vim.uv or vim.loop
local timer

--- Once it is calm, say what is in sight of every buffer of ours.
local function look()
  timer = timer or uv.new_timer()
  timer:stop()
  timer:start(options.get().debounce, 0, vim.schedule_wrap(function()
    for _, buf in ipairs(visible.buffers()) do
      local client = compat.client(buf)
      if client then
        visible.send(client, buf)
      end
    end
  end))
end

local function found(buf)
  local client = vim.api.nvim_buf_is_loaded(buf) and compat.client(buf)
  if client then
    diagnostics.send(client, buf)
  end
end

local function follow()
  local group = vim.api.nvim_create_augroup("copydesk_follow", { clear = true })
  vim.api.nvim_create_autocmd("DiagnosticChanged", {
    group = group,
    callback = function(args)
      -- Not in the middle of what changes them: several sources are often set in one turn.
      vim.schedule(function()
        found(args.buf)
      end)
    end,
  })
  local moves = { "WinScrolled", "BufWinEnter", "VimResized", "TabEnter" }
  if vim.fn.exists("##WinResized") == 1 then
    moves[#moves + 1] = "WinResized"
  end
  vim.api.nvim_create_autocmd(moves, { group = group, callback = look })
end

--- A client was attached to a buffer: nothing to do but for ours.
function M.attached(client_id, buf)
  local client = vim.lsp.get_client_by_id(client_id)
  if not client or client.name ~= "copydesk" then
    return
  end
  require("copydesk.start").remember(client)
  inline_completion.attached(client, buf)
  follow()
  vim.schedule(function()
    found(buf)
    look()
  end)
end

return M
