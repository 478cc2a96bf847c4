-- Instructions given before, the newest first. They are in Vim's own input history too, which <Up> brings back and ShaDa keeps.

local M = {}

local KEPT = 50
local items = {}

function M.add(instruction)
  for index, item in ipairs(items) do
    if item == instruction then
      table.remove(items, index)
      break
    end
  end
  table.insert(items, 1, instruction)
  items[KEPT + 1] = nil
  vim.fn.histadd("input", instruction)
end

function M.items()
  return vim.deepcopy(items)
end

--- For the command line: those that begin with what stands behind the command's name.
function M.complete(lead, line, at)
  local before = line:sub(1, at):match("CopydeskEdit%s+(.*)$") or lead
  local found = {}
  for _, item in ipairs(items) do
    if item:sub(1, #before) == before then
      found[#found + 1] = lead .. item:sub(#before + 1)
    end
  end
  return found
end

return M
