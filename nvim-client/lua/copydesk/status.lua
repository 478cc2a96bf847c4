-- How the server is: as it tells of itself, for statuslines, and as it answers when it is asked.

local ask = require("copydesk.ask")
local compat = require("copydesk.compat")
local say = require("copydesk.say")

local M = {}

local last = {} -- by client id: what the server told of itself

--- `copydesk/status`.
function M.told(params, context)
  last[context.client_id] = params
  vim.cmd("redrawstatus!")
end

local WAITING = { idle = "starting", loading = "loading the model", restarting = "restarting the engine" }

--- What an edit waits for, in words.
function M.doing(client)
  return WAITING[(last[client.id] or {}).state] or "editing"
end

--- A few words about the buffer's server; empty where it has none.
function M.line(buf)
  local client = compat.client(buf)
  if not client then
    return ""
  end
  local phase = require("copydesk.edit").phase(buf)
  if phase == "running" then
    return "copydesk: editing"
  elseif phase == "choosing" then
    return "copydesk: which one?"
  elseif phase == "waiting" then
    return "copydesk: accept?"
  end
  local state = (last[client.id] or {}).state
  if state == nil or state == "ready" then
    return "copydesk"
  end
  return "copydesk: " .. state
end

local function value(one)
  if type(one) == "number" and one % 1 ~= 0 then
    return ("%.1f"):format(one)
  end
  return type(one) == "table" and vim.inspect(one):gsub("%s+", " ") or tostring(one)
end

--- The server's answer, one line a figure, by name.
function M.lines(figures)
  local names = vim.tbl_keys(figures)
  table.sort(names)
  local lines = {}
  for _, name in ipairs(names) do
    if figures[name] ~= vim.NIL then
      lines[#lines + 1] = ("%s: %s"):format(name, value(figures[name]))
    end
  end
  return lines
end

local LINTERS = {
  ruff = "no linter was found: its server runs ruff",
  none = "no linter was found, and no ruff: install one of them to get fixes (pip install ruff)",
}
local STATES = {
  idle = "the model is loaded when it is needed",
  loading = "the model is being loaded",
  restarting = "the engine is being started again",
  closed = "the server is ending",
}

--- The server's answer in sentences: { good or not, what }.
function M.sentences(figures)
  local function text(name)
    return type(figures[name]) == "string" and figures[name] or nil
  end
  local found = {}
  if figures.state == "failed" then
    found[1] = { false, "there is no model: " .. (text("message") or "it could not be loaded") }
  elseif STATES[figures.state] then
    found[1] = { true, STATES[figures.state] }
  else
    local model, device, dtype = text("name") or "a model", text("device") or "cpu", text("dtype")
    found[1] = { true, ("the model %s is ready on the %s%s"):format(model, device, dtype and (" in " .. dtype) or "") }
  end
  if text("advice") then
    found[2] = { false, text("advice") .. " (:CopydeskModel)" }
  end
  if LINTERS[figures.linter] then
    found[#found + 1] = { figures.linter == "ruff", LINTERS[figures.linter] }
  end
  return found
end

--- Ask and show.
function M.show()
  ask("copydesk/status", function(err, figures)
    if err then
      say.warn(err.message)
    else
      vim.lsp.util.open_floating_preview(M.lines(figures), "", { border = "single", focus_id = "copydesk_status" })
    end
  end)
end

return M
