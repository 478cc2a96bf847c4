-- What the person is told. Knows no protocol.

local M = {}

local function notify(level)
  return function(message)
    vim.notify("copydesk: " .. message, level)
  end
end

M.info = notify(vim.log.levels.INFO)
M.warn = notify(vim.log.levels.WARN)

M.CHANGED = "The code changed; nothing was applied."

return M
