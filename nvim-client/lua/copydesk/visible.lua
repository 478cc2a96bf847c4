-- `copydesk/visibleRanges`: which lines the person sees. Knows windows; nothing of what the server does with it.

local compat = require("copydesk.compat")

local M = {}

--- The buffers that are in some window, each once.
function M.buffers()
  local seen, found = {}, {}
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local buf = vim.api.nvim_win_get_buf(window)
    if not seen[buf] then
      seen[buf] = true
      found[#found + 1] = buf
    end
  end
  return found
end

--- The lines of a buffer in sight, one range a window.
function M.ranges(buf)
  local found = {}
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.api.nvim_win_get_buf(window) == buf then
      local info = vim.fn.getwininfo(window)[1]
      found[#found + 1] = {
        start = { line = info.topline - 1, character = 0 },
        ["end"] = { line = info.botline, character = 0 },
      }
    end
  end
  return found
end

function M.send(client, buf)
  compat.notify(client, "copydesk/visibleRanges", { uri = vim.uri_from_bufnr(buf), ranges = M.ranges(buf) })
end

return M
