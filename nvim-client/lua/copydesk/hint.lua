-- A few words behind the first line of an edit: that it is being made, or how to accept it. Knows what keys are mapped.

local M = {}

local namespace = vim.api.nvim_create_namespace("copydesk_hint")
local FRAMES = { "⠋", "⠙", "⠸", "⠴", "⠦", "⠇" }
local LONG = 5 -- seconds after which the person is told how long it has been

local function show(buf, row, text)
  M.clear(buf)
  if row and row < vim.api.nvim_buf_line_count(buf) then
    vim.api.nvim_buf_set_extmark(buf, namespace, row, 0, { virt_text = { { "  " .. text, "CopydeskHint" } } })
  end
end

--- What a person presses for one of the plugin's commands: the key they have mapped, else the command.
local function key(name)
  local wanted = ("<Plug>(copydesk-%s)"):format(name)
  for _, maps in ipairs({ vim.api.nvim_buf_get_keymap(0, "n"), vim.api.nvim_get_keymap("n") }) do
    for _, map in ipairs(maps) do
      if map.rhs and map.rhs:lower() == wanted:lower() then
        return map.lhs
      end
    end
  end
  return ":Copydesk" .. name:sub(1, 1):upper() .. name:sub(2)
end

--- It is being made. looks: how often this was said; seconds: since when. doing: in words.
function M.running(buf, row, looks, seconds, doing)
  local frame = FRAMES[looks % #FRAMES + 1]
  local long = seconds >= LONG and (" for %d s"):format(seconds) or ""
  show(buf, row, ("%s %s%s (cancel: %s)"):format(frame, doing, long, key("cancel")))
end

--- It waits for the person.
function M.waiting(buf, row)
  show(buf, row, ("accept: %s  reject: %s"):format(key("accept"), key("reject")))
end

function M.clear(buf)
  if vim.api.nvim_buf_is_loaded(buf) then
    vim.api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
  end
end

return M
