-- Fetches the standard model with the server's own command, and starts the servers again, which take it then.

local executable = require("copydesk.executable")
local options = require("copydesk.options")
local say = require("copydesk.say")

local M = {}

local uv = vim.uv or vim.loop
local NAME = "standard"
local running = false

--- The server's program and arguments without `lsp` and what follows it.
local function program()
  local found, why = executable.command(options.get().cmd, { uv.cwd() })
  if not found then
    return nil, why
  end
  local words = {}
  for _, word in ipairs(found) do
    if word == "lsp" then
      break
    end
    words[#words + 1] = word
  end
  return words
end

--- Fetch it; says how far it is. Nothing is half there if it fails.
function M.get()
  if running then
    say.info("the model is being fetched")
    return
  end
  local command, why = program()
  if not command then
    say.warn(why)
    return
  end
  vim.list_extend(command, { "model", "get", NAME })
  local last = ""
  local job = vim.fn.jobstart(command, {
    cwd = vim.env.VIMRUNTIME,
    env = { PYTHONSAFEPATH = "1" },
    on_stderr = function(_, lines)
      for _, line in ipairs(lines) do
        line = vim.trim(line)
        if line ~= "" then
          last = line
          vim.api.nvim_echo({ { "copydesk: " .. line } }, false, {})
        end
      end
    end,
    on_exit = function(_, code)
      running = false
      if code == 0 then
        say.info("the model is there")
        require("copydesk.start").restart()
      else
        say.warn("the model could not be fetched: " .. last:gsub("^copydesk: ", ""))
      end
    end,
  })
  running = job > 0
  if not running then
    say.warn(command[1] .. " cannot be run")
  end
end

return M
