-- `:checkhealth copydesk`: whether everything is there that is needed, and how it is.

local compat = require("copydesk.compat")
local executable = require("copydesk.executable")
local options = require("copydesk.options")
local status = require("copydesk.status")

local M = {}

local uv = vim.uv or vim.loop
local health = vim.health
local start = health.start or health.report_start
local ok = health.ok or health.report_ok
local warn = health.warn or health.report_warn
local bad = health.error or health.report_error
local PATIENCE = 3000

local function program()
  local found, why = executable.command(options.get().cmd, { uv.cwd() })
  if not found then
    bad(why)
    return
  end
  ok("the server is " .. table.concat(found, " "))
  local version, code = executable.output({ found[1], "--version" })
  if code == 0 then
    ok(version)
  else
    bad(("%s --version fails: %s"):format(found[1], version))
  end
end

local function server(client)
  local answer = compat.request_sync(client, "copydesk/status", vim.empty_dict(), PATIENCE, 0)
  if not answer or answer.err then
    bad(("the server of %s does not answer (:CopydeskRestart)"):format(client.config.root_dir or "?"))
    return
  end
  ok("the server of " .. (client.config.root_dir or "?") .. " answers")
  for _, sentence in ipairs(status.sentences(answer.result)) do
    local report = sentence[1] and ok or (answer.result.state == "failed" and bad or warn)
    report(sentence[2])
  end
end

function M.check()
  start("copydesk")
  if vim.fn.has("nvim-0.8") == 1 then
    ok("Neovim " .. tostring(vim.version().major) .. "." .. vim.version().minor .. "." .. vim.version().patch)
  else
    bad("Neovim 0.8 or newer is needed")
    return
  end
  program()
  local clients = compat.clients()
  if #clients == 0 then
    warn("no server is running: open a file of " .. table.concat(options.get().filetypes, ", "))
  end
  for _, client in ipairs(clients) do
    server(client)
  end
end

return M
