-- An edit shown and not made: what goes is highlighted, what comes stands below it as virtual lines. The buffer's text stays as
-- it is. Knows edits in a server's positions; nothing of where they come from.

local position = require("copydesk.position")

local M = {}

local namespace = vim.api.nvim_create_namespace("copydesk_preview")

--- A text as it can be drawn: nothing in it moves the cursor.
local function drawn(text, buf)
  local tab = string.rep(" ", vim.bo[buf].tabstop)
  return (vim.fn.strtrans((text:gsub("\t", tab))))
end

local function line_at(buf, row)
  return vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ""
end

--- The rows edits touch (0-based, exclusive), and the lines that will stand there.
function M.after(buf, edits, encoding)
  local first, last = math.huge, 0
  for _, edit in ipairs(edits) do
    local start, stop = edit.range.start, edit.range["end"]
    first = math.min(first, start.line)
    -- The line it ends at the start of stays as it is, unless something comes to stand before it there.
    local ended = edit.newText:find("[\r\n]$") ~= nil or (edit.newText == "" and start.character == 0)
    last = math.max(last, (stop.character == 0 and ended) and stop.line or stop.line + 1)
  end
  local count = vim.api.nvim_buf_line_count(buf)
  first, last = math.min(first, count), math.min(last, count)
  local old = vim.api.nvim_buf_get_lines(buf, first, last, false)
  local starts, at = {}, 0
  for index, line in ipairs(old) do
    starts[index] = at
    at = at + #line + 1
  end
  starts[#old + 1] = at
  local function offset(place)
    local index = place.line - first + 1
    if index > #old then
      return at
    end
    return starts[index] + position.byte(old[index], place.character, encoding)
  end
  local text = #old > 0 and table.concat(old, "\n") .. "\n" or ""
  local pieces, done = {}, 0
  for _, edit in ipairs(edits) do
    pieces[#pieces + 1] = text:sub(done + 1, offset(edit.range.start))
    pieces[#pieces + 1] = (edit.newText:gsub("\r\n?", "\n"))
    done = offset(edit.range["end"])
  end
  pieces[#pieces + 1] = text:sub(done + 1)
  local whole = table.concat(pieces)
  if whole == "" then
    return first, last, {}
  end
  return first, last, vim.split((whole:gsub("\n$", "")), "\n", { plain = true })
end

--- Show edits, in order and of the buffer as it stands.
function M.show(buf, edits, encoding)
  if #edits == 0 then
    return
  end
  for _, edit in ipairs(edits) do
    local start, stop = edit.range.start, edit.range["end"]
    local count = vim.api.nvim_buf_line_count(buf)
    local stop_row = math.min(stop.line, count - 1)
    local stop_line = line_at(buf, stop_row)
    local stop_byte = stop.line < count and position.byte(stop_line, stop.character, encoding) or #stop_line
    if start.line < count and (start.line ~= stop.line or start.character ~= stop.character) then
      vim.api.nvim_buf_set_extmark(
        buf,
        namespace,
        start.line,
        position.byte(line_at(buf, start.line), start.character, encoding),
        { end_row = stop_row, end_col = stop_byte, hl_group = "CopydeskDelete" }
      )
    end
  end
  local first, last, lines = M.after(buf, edits, encoding)
  if #lines == 0 then
    return
  end
  local virtual = {}
  for _, line in ipairs(lines) do
    virtual[#virtual + 1] = { { drawn(line, buf), "CopydeskAdd" } }
  end
  if last > first then
    vim.api.nvim_buf_set_extmark(buf, namespace, last - 1, 0, { virt_lines = virtual })
  elseif first < vim.api.nvim_buf_line_count(buf) then
    vim.api.nvim_buf_set_extmark(buf, namespace, first, 0, { virt_lines = virtual, virt_lines_above = true })
  else
    vim.api.nvim_buf_set_extmark(buf, namespace, first - 1, 0, { virt_lines = virtual })
  end
end

function M.clear(buf)
  if vim.api.nvim_buf_is_loaded(buf) then
    vim.api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
  end
end

return M
