-- An edit shown and not made: words that go are highlighted, the lines that come stand below as virtual lines, their new words
-- highlighted. The buffer's text stays as it is. Knows edits in a server's positions; nothing of where they come from.

local position = require("copydesk.position")
local words = require("copydesk.words")

local M = {}

local namespace = vim.api.nvim_create_namespace("copydesk_preview")

--- A text as it can be drawn: nothing in it moves the cursor.
local function drawn(text, buf)
  local tab = string.rep(" ", vim.bo[buf].tabstop)
  return (vim.fn.strtrans((text:gsub("\t", tab))))
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

--- The lines that come in place of others, as virtual lines; and what goes of the lines from `row` on is highlighted.
local function drawn_lines(buf, row, parts)
  local virtual, column = { {} }, 0
  for _, part in ipairs(parts) do
    local kind, text = part[1], part[2]
    for index, piece in ipairs(vim.split(text, "\n", { plain = true })) do
      if index > 1 and kind ~= "added" then
        row, column = row + 1, 0
      end
      if index > 1 and kind ~= "removed" then
        virtual[#virtual + 1] = {}
      end
      if piece ~= "" and kind == "removed" then
        local goes = { end_row = row, end_col = column + #piece, hl_group = "CopydeskDelete" }
        vim.api.nvim_buf_set_extmark(buf, namespace, row, column, goes)
      elseif piece ~= "" then
        local group = kind == "added" and "CopydeskAdd" or "CopydeskKept"
        table.insert(virtual[#virtual], { drawn(piece, buf), group })
      end
      column = kind == "added" and column or column + #piece
    end
  end
  for _, line in ipairs(virtual) do
    if #line == 0 then
      line[1] = { "", "CopydeskAdd" }
    end
  end
  return virtual
end

--- Show edits, in order and of the buffer as it stands.
function M.show(buf, edits, encoding)
  if #edits == 0 then
    return
  end
  local first, last, after = M.after(buf, edits, encoding)
  local before = vim.api.nvim_buf_get_lines(buf, first, last, false)
  for _, hunk in ipairs(words.hunks(before, after)) do
    local row = first + hunk[1] - 1
    local old = table.concat(before, "\n", hunk[1], hunk[1] + hunk[2] - 1)
    local new = table.concat(after, "\n", hunk[3], hunk[3] + hunk[4] - 1)
    local virtual = drawn_lines(buf, row, words.parts(old, new))
    if hunk[4] > 0 then
      local below = hunk[2] > 0 or row >= vim.api.nvim_buf_line_count(buf)
      local at = below and row + hunk[2] - 1 or row
      vim.api.nvim_buf_set_extmark(buf, namespace, at, 0, { virt_lines = virtual, virt_lines_above = not below })
    end
  end
end

function M.clear(buf)
  if vim.api.nvim_buf_is_loaded(buf) then
    vim.api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
  end
end

return M
