-- What has changed between two texts: by lines, and by words within them. Knows text alone.

local compat = require("copydesk.compat")

local M = {}

local function words(text)
  local found, at = {}, 1
  while at <= #text do
    local _, last = text:find("^[%w_\128-\255]+", at)
    if not last then
      _, last = text:find("^[ \t]+", at)
    end
    found[#found + 1] = text:sub(at, last or at)
    at = (last or at) + 1
  end
  return found
end

--- The runs in which two lists of texts differ, as { first, count, first, count }: 1-based, also where a count is 0.
local function runs(old, new)
  local function written(items)
    local lines = {}
    for index, item in ipairs(items) do
      lines[index] = item:gsub("\n", "\1") .. "\n" -- each is a line, whatever is in it
    end
    return table.concat(lines)
  end
  local found = compat.diff(written(old), written(new))
  for _, run in ipairs(found) do
    run[1] = run[2] == 0 and run[1] + 1 or run[1]
    run[3] = run[4] == 0 and run[3] + 1 or run[3]
  end
  return found
end

--- The hunks of two lists of lines, as { first, count, first, count }.
M.hunks = runs

--- The parts of two texts, in order: { "same" or "removed" or "added", text }. A blank between two changes belongs to them.
function M.parts(before, after)
  local old, new = words(before), words(after)
  local found, at = {}, 1
  local function add(kind, list, first, last)
    local text = table.concat(list, "", first, last)
    if text ~= "" then
      found[#found + 1] = { kind, text }
    end
  end
  local merged = {}
  for _, run in ipairs(runs(old, new)) do
    local last = merged[#merged]
    if last and table.concat(old, "", last[1] + last[2], run[1] - 1):find("^[ \t]*$") then
      last[2], last[4] = run[1] + run[2] - last[1], run[3] + run[4] - last[3]
    else
      merged[#merged + 1] = run
    end
  end
  for _, run in ipairs(merged) do
    add("same", old, at, run[1] - 1)
    add("removed", old, run[1], run[1] + run[2] - 1)
    add("added", new, run[3], run[3] + run[4] - 1)
    at = run[1] + run[2]
  end
  add("same", old, at, #old)
  return found
end

return M
