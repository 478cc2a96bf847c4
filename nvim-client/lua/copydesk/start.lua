-- A server for the buffers that want one, and another in its place. Knows how each Neovim starts servers; nothing of what
-- they do.

local compat = require("copydesk.compat")
local executable = require("copydesk.executable")
local inline_completion = require("copydesk.inline_completion")
local options = require("copydesk.options")
local say = require("copydesk.say")

local M = {}

local uv = vim.uv or vim.loop
local PATIENCE = 5000 -- milliseconds until a server that does not end is ended
local told = {}

local function say_once(message)
  if not told[message] then
    told[message] = true
    say.warn(message)
  end
end

local function root_of(buf)
  local name = vim.api.nvim_buf_get_name(buf)
  if name == "" then
    return uv.cwd()
  end
  local from = vim.fs.dirname(name)
  local found = vim.fs.find(options.get().root_markers, { upward = true, path = from })[1]
  return found and vim.fs.dirname(found) or from
end

local function command_for(root)
  return executable.command(options.get().cmd, { root, uv.cwd() })
end

--- Where a server works: a folder of the editor's own, so that nothing is found by accident in the one that is open; and what
--- keeps Python from looking there, should `cmd` name an interpreter.
local function spawning()
  return { cwd = vim.env.VIMRUNTIME, env = { PYTHONSAFEPATH = "1" } }
end

--- Files a person edits: no help, terminals, previews, and no revision that a plugin shows.
local function wants(buf)
  local name = vim.api.nvim_buf_get_name(buf)
  return vim.api.nvim_buf_is_loaded(buf)
    and vim.bo[buf].buftype == ""
    and not name:find("^%a[%w+.-]+://")
    and vim.tbl_contains(options.get().filetypes, vim.bo[buf].filetype)
end

local function shared()
  local settings = options.get().settings
  return {
    name = "copydesk",
    -- An empty table would travel as a list.
    settings = { copydesk = next(settings) and settings or vim.empty_dict() },
    init_options = {
      copydesk = {
        askInstruction = true,
        alternatives = true,
        status = true,
        inlineCompletions = inline_completion.supported,
      },
    },
  }
end

--- For `lsp/copydesk.lua`: the server is started where `root_dir` names a folder.
function M.lsp_config()
  local config = shared()
  local last
  config.filetypes = options.get().filetypes
  config.root_dir = function(buf, start)
    if not wants(buf) then
      return
    end
    local root = root_of(buf)
    local found, why = command_for(root)
    if not found then
      say_once(why)
      return
    end
    last = root
    start(root)
  end
  config.cmd = function(dispatchers, resolved)
    local found, why = command_for(resolved and resolved.root_dir or last)
    if not found then
      error(why, 0)
    end
    return vim.lsp.rpc.start(found, dispatchers, spawning())
  end
  return config
end

local function start(buf)
  if not wants(buf) then
    return
  end
  local config = shared()
  config.root_dir = root_of(buf)
  local found, why = command_for(config.root_dir)
  if not found then
    say_once(why)
    return
  end
  config.cmd = found
  config.cmd_cwd, config.cmd_env = spawning().cwd, spawning().env
  vim.api.nvim_buf_call(buf, function()
    vim.lsp.start(config)
  end)
end

--- A server for every buffer of the file types chosen, now and later.
function M.enable()
  if vim.fn.has("nvim-0.11") == 1 then
    vim.lsp.config("copydesk", M.lsp_config())
    vim.lsp.enable("copydesk")
    return
  end
  local group = vim.api.nvim_create_augroup("copydesk_start", { clear = true })
  vim.api.nvim_create_autocmd("FileType", {
    group = group,
    pattern = options.get().filetypes,
    callback = function(args)
      start(args.buf)
    end,
  })
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    start(buf)
  end
end

local known = {} -- by root: the configuration a server was started with, whoever wrote it

--- A server looks after a buffer.
function M.remember(client)
  known[client.config.root_dir or ""] = client.config
end

--- Every server of ours ends, and a new one takes over its buffers; where none is left, one is started.
function M.restart()
  local clients = compat.clients()
  if #clients == 0 then
    for _, buf in ipairs(vim.api.nvim_list_bufs()) do
      local config = wants(buf) and known[root_of(buf)]
      if config then
        vim.api.nvim_buf_call(buf, function()
          vim.lsp.start(config)
        end)
      else
        start(buf)
      end
    end
    return
  end
  for _, client in ipairs(clients) do
    local bufs = {}
    for buf in pairs(client.attached_buffers or {}) do
      bufs[#bufs + 1] = buf
    end
    compat.stop(client)
    local waited, timer = 0, uv.new_timer()
    timer:start(50, 50, vim.schedule_wrap(function()
      waited = waited + 50
      if not compat.is_stopped(client) then
        if waited == PATIENCE then
          compat.stop(client, true)
        end
        return
      end
      if timer:is_closing() then
        return
      end
      timer:close()
      for _, buf in ipairs(bufs) do
        if vim.api.nvim_buf_is_loaded(buf) then
          vim.api.nvim_buf_call(buf, function()
            vim.lsp.start(client.config)
          end)
        end
      end
    end))
  end
end

return M
