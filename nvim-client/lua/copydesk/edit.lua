-- One edit by instruction, from the question to the text: asked for, shown while it is decided, chosen where the server is unsure,
-- checked again, made or dropped. A buffer has one at a time. Knows `copydesk/edit` and its notifications.

local alternatives = require("copydesk.alternatives")
local apply = require("copydesk.apply")
local compat = require("copydesk.compat")
local hint = require("copydesk.hint")
local history = require("copydesk.history")
local options = require("copydesk.options")
local preview = require("copydesk.preview")
local say = require("copydesk.say")
local scopes = require("copydesk.scope")
local status = require("copydesk.status")

local M = {}

local MODIFIED = -32801
local LOOK = 250 -- milliseconds between two looks at a request
local ENDING = 20000 -- milliseconds that a server may take to end
local ENDED = "the server has ended (:CopydeskRestart)"

local uv = vim.uv or vim.loop

-- By buffer: { client, scope, instruction, token, version, row, id, again, choosing, edits, edits_row }. `choosing` is set while the
-- person chooses among alternatives, `edits` once it waits for them; `row` and `edits_row` are where the scope began when it was asked
-- for, and when the edits came.
local jobs = {}
local number = 0

--- A server whose requests are gone may take a while to end.
local function say_when_ended(client, patience)
  if compat.is_stopped(client) then
    say.warn(ENDED)
  elseif patience > 0 then
    vim.defer_fn(function()
      say_when_ended(client, patience - LOOK)
    end, LOOK)
  end
end

local function changed_status()
  vim.cmd("redrawstatus!")
end

local function drop(buf)
  local job = jobs[buf]
  jobs[buf] = nil
  if job then
    scopes.forget(job.scope)
    preview.clear(buf)
    hint.clear(buf)
    pcall(vim.api.nvim_del_augroup_by_name, "copydesk_waiting_" .. buf)
    changed_status()
  end
  return job
end

--- "running", "choosing" among alternatives, "waiting" for the person, or nil.
function M.phase(buf)
  local job = jobs[buf == 0 and vim.api.nvim_get_current_buf() or buf]
  return job and (job.edits and "waiting" or job.choosing and "choosing" or "running")
end

local function shifted(edits, by)
  local moved = {}
  for index, edit in ipairs(edits) do
    local start, stop = edit.range.start, edit.range["end"]
    moved[index] = {
      newText = edit.newText,
      range = {
        start = { line = start.line + by, character = start.character },
        ["end"] = { line = stop.line + by, character = stop.character },
      },
    }
  end
  return moved
end

--- The edits of a WorkspaceEdit that is for one version of this buffer; nil for any other.
local function edits_of(workspace_edit, buf, version)
  local changes = workspace_edit and workspace_edit.documentChanges
  if not changes or #changes ~= 1 then
    return nil
  end
  local document = changes[1].textDocument
  if document.uri ~= vim.uri_from_bufnr(buf) or document.version ~= version then
    return nil
  end
  return changes[1].edits
end

local function make(buf, job, edits)
  drop(buf)
  apply.apply(buf, edits, job.client.offset_encoding)
end

--- Show what came of it and wait; a change of its lines ends the waiting.
local function wait(buf, job, edits, row)
  job.edits, job.edits_row = edits, row
  preview.clear(buf)
  preview.show(buf, edits, job.client.offset_encoding)
  hint.waiting(buf, row)
  vim.api.nvim_create_autocmd({ "TextChanged", "TextChangedI", "TextChangedP" }, {
    group = vim.api.nvim_create_augroup("copydesk_waiting_" .. buf, { clear = true }),
    buffer = buf,
    callback = function()
      if jobs[buf] == job and not scopes.row(job.scope) then
        drop(buf)
        say.warn(say.CHANGED)
      end
    end,
  })
  changed_status()
end

--- A sign of life. Neovim tells nobody of a request that the server cancelled (something newer was asked for the same lines), nor
--- of those that die with a server: so every now and then somebody looks.
local function watch(buf, job)
  local token, gone, looks, begun, timer = job.token, 0, 0, uv.now(), uv.new_timer()
  local function alive()
    local seconds = math.floor((uv.now() - begun) / 1000)
    hint.running(buf, scopes.row(job.scope), looks, seconds, status.doing(job.client))
    looks = looks + 1
  end
  alive()
  timer:start(LOOK, LOOK, vim.schedule_wrap(function()
    if timer:is_closing() then
      return
    end
    if jobs[buf] ~= job or job.token ~= token or job.edits or job.choosing then
      timer:close()
      return
    end
    alive()
    local stopped = compat.is_stopped(job.client)
    gone = (stopped or not job.client.requests[job.id]) and gone + 1 or 0
    if gone > 1 then -- an answer that has come is given to its handler a moment later
      timer:close()
      drop(buf)
      if stopped then
        say.warn(ENDED)
      else -- its requests go first when a server is stopped, on a busy machine long before it has ended
        say_when_ended(job.client, ENDING)
      end
    end
  end))
end

local send

--- Edits of `version` as edits of the buffer as it stands, whose scope begins at `row`; nil where they do not fit.
local function placed(buf, job, edits, version, row)
  if compat.version(buf) ~= version then
    -- Typed after the server had answered. The scope's text is what it was, so the change is elsewhere.
    if version ~= job.version then
      return nil
    end
    edits = shifted(edits, row - job.row)
  end
  return scopes.holds(job.scope, edits, row) and edits or nil
end

--- Make these edits of `version`, or show them and wait.
local function settle(buf, job, edits, version)
  local row = scopes.row(job.scope)
  if row and edits and not job.again and compat.version(buf) ~= version and version ~= job.version then
    job.again = true
    send(buf, job)
    return
  end
  edits = row and edits and placed(buf, job, edits, version, row)
  if not edits then
    drop(buf)
    say.warn(say.CHANGED)
    return
  end
  if not vim.bo[buf].modifiable then
    drop(buf)
    say.warn("the buffer cannot be modified")
  elseif options.get().preview then
    wait(buf, job, edits, row)
  else
    make(buf, job, edits)
  end
end

--- Have the person choose among the alternatives of an unsure answer. False where there is nothing to choose from.
local function choose(buf, job, result)
  local row = scopes.row(job.scope)
  local items = {}
  for _, one in ipairs(row and result.alternatives or {}) do
    local edits = edits_of(one.edit, buf, result.version)
    local there = edits and placed(buf, job, edits, result.version, row)
    if there then
      local label = alternatives.label(buf, one, there, job.client.offset_encoding)
      items[#items + 1] = { label = label, edits = edits }
    end
  end
  if #items == 0 then
    return false
  end
  job.choosing = true
  hint.clear(buf)
  changed_status()
  alternatives.choose(items, function(item)
    if jobs[buf] ~= job or not job.choosing then
      return -- something newer was asked for, or this was cancelled
    end
    job.choosing = nil
    if item then
      settle(buf, job, item.edits, result.version)
    else
      drop(buf)
    end
  end)
  return true
end

local function finish(buf, job, result)
  if result.status == "edited" then
    settle(buf, job, edits_of(result.edit, buf, result.version), result.version)
  elseif not choose(buf, job, result) then
    drop(buf)
    say.info("changed nothing" .. (result.reason and (": " .. result.reason) or ""))
  end
end

function send(buf, job)
  number = number + 1
  preview.clear(buf)
  local row = scopes.row(job.scope)
  if not row then
    drop(buf)
    say.warn(say.CHANGED)
    return
  end
  job.token, job.version, job.row = ("nvim-%d-%d"):format(vim.fn.getpid(), number), compat.version(buf), row
  local token = job.token
  local params = {
    textDocument = { uri = vim.uri_from_bufnr(buf), version = job.version },
    range = { start = { line = row, character = 0 }, ["end"] = { line = row + job.scope.count, character = 0 } },
    instruction = job.instruction,
    token = token,
  }
  local sent, id = compat.request(job.client, "copydesk/edit", params, function(err, result)
    if jobs[buf] ~= job or job.token ~= token then
      return -- cancelled, or asked anew: whatever it is, nobody wants it any more
    end
    if not err and result then
      finish(buf, job, result)
      return
    end
    drop(buf)
    if err and err.code == MODIFIED then
      say.warn(say.CHANGED)
    else
      say.warn(err and err.message or "the server failed")
    end
  end, buf)
  if not sent then
    drop(buf)
    say.warn("the server does not answer (:CopydeskRestart)")
    return
  end
  job.id = id
  watch(buf, job)
  changed_status()
end

local function begin(buf, scope, instruction)
  local client = compat.client(buf)
  if not client then
    scopes.forget(scope)
    say.warn("no server looks after this buffer (:checkhealth copydesk)")
    return
  end
  M.cancel(buf)
  history.add(instruction)
  jobs[buf] = { client = client, scope = scope, instruction = instruction }
  send(buf, jobs[buf])
end

--- Edit lines `first` to `last` of a buffer; the person is asked for the instruction where it is nil or empty.
function M.ask(buf, first, last, instruction)
  local scope = scopes.new(buf, first, last)
  if instruction and vim.trim(instruction) ~= "" then
    begin(buf, scope, vim.trim(instruction))
    return
  end
  vim.ui.input({ prompt = "copydesk: " }, function(answer)
    if answer and vim.trim(answer) ~= "" then
      begin(buf, scope, vim.trim(answer))
    else
      scopes.forget(scope)
    end
  end)
end

--- The code action "Edit with instruction…".
function M.from_action(action)
  local where = action.arguments[1]
  local buf = vim.uri_to_bufnr(where.textDocument.uri)
  if compat.version(buf) ~= where.textDocument.version then
    say.warn(say.CHANGED)
    return
  end
  local start, stop = where.range.start, where.range["end"]
  local last = (stop.character == 0 and stop.line > start.line) and stop.line or stop.line + 1
  M.ask(buf, start.line + 1, math.min(last, vim.api.nvim_buf_line_count(buf)), nil)
end

--- A code action came to an unsure answer: the person chooses among its alternatives.
function M.choose_from_action(action)
  local answer = action.arguments[1]
  local version = answer.textDocument.version
  local buf = vim.uri_to_bufnr(answer.textDocument.uri)
  local client = compat.client(buf)
  if not client or compat.version(buf) ~= version then
    say.warn(say.CHANGED)
    return
  end
  M.cancel(buf)
  local first, last = answer.range.start.line, answer.range["end"].line
  local scope = scopes.new(buf, first + 1, last)
  local job = { client = client, scope = scope, version = version, row = first, again = true }
  jobs[buf] = job
  if not choose(buf, job, { version = version, alternatives = answer.alternatives }) then
    drop(buf)
    say.warn(say.CHANGED)
  end
end

--- Nothing comes of what is on its way or shown. False where there is nothing.
function M.cancel(buf)
  local job = drop(buf)
  if job and job.id and not job.edits and not job.choosing then
    compat.cancel(job.client, job.id)
  end
  return job ~= nil
end

M.reject = M.cancel

--- Make the edit that is shown, where its lines are by now.
function M.accept(buf)
  local job = jobs[buf]
  if not job or not job.edits then
    say.info("there is nothing to accept")
    return
  end
  local row = scopes.row(job.scope)
  if not row then
    drop(buf)
    say.warn(say.CHANGED)
    return
  end
  make(buf, job, shifted(job.edits, row - job.edits_row))
end

-- -- what the server says meanwhile ------------------------------------------------------------------------------------------

local function of_token(token)
  for buf, job in pairs(jobs) do
    if job.token == token and not job.edits then
      return buf, job
    end
  end
end

--- `copydesk/hunk`: a preview, of the version it names.
function M.hunk(params)
  local buf, job = of_token(params.token)
  local row = job and scopes.row(job.scope)
  if not row then
    return
  end
  local by
  if params.baseVersion == job.version then
    by = row - job.row -- what has changed since is elsewhere
  elseif params.baseVersion == compat.version(buf) then
    by = 0
  else
    return
  end
  local edits = shifted(params.edit.edits, by)
  if scopes.holds(job.scope, edits, row) then
    preview.show(buf, edits, job.client.offset_encoding)
  end
end

--- `copydesk/retract`: forget what was shown.
function M.retract(params)
  local buf = of_token(params.token)
  if buf then
    preview.clear(buf)
  end
end

return M
