-- The alternatives of an unsure answer, for a person to choose from. Knows how they are worded; nothing of what comes of them.

local preview = require("copydesk.preview")

local M = {}

local LONGEST = 60 -- characters of what one changes

--- The lines that go and that come, in one line.
local function changes(buf, edits, encoding)
  local first, last, after = preview.after(buf, edits, encoding)
  local before = vim.api.nvim_buf_get_lines(buf, first, last, false)
  while #before > 0 and #after > 0 and before[#before] == after[#after] do
    before[#before], after[#after] = nil, nil
  end
  local same = 0
  while same < math.min(#before, #after) and before[same + 1] == after[same + 1] do
    same = same + 1
  end
  local shown = {}
  for index = same + 1, #before do
    shown[#shown + 1] = "- " .. vim.trim(before[index])
  end
  for index = same + 1, #after do
    shown[#shown + 1] = "+ " .. vim.trim(after[index])
  end
  return table.concat(shown, "  ")
end

--- What one alternative is called: its title, how likely it is, and what it changes. `edits` are of the buffer as it stands.
function M.label(buf, one, edits, encoding)
  local text = changes(buf, edits, encoding)
  if vim.fn.strchars(text) > LONGEST then
    text = vim.fn.strcharpart(text, 0, LONGEST - 1) .. "…"
  end
  return ("%s (%.0f%%)  %s"):format(one.title, one.probability * 100, text)
end

--- Ask for one of `items`; `chosen(item)`, or `chosen(nil)` where the person leaves.
function M.choose(items, chosen)
  vim.ui.select(items, {
    prompt = #items == 1 and "copydesk: did you mean this?" or "copydesk: did you mean one of these?",
    kind = "copydesk",
    format_item = function(item)
      return item.label
    end,
  }, chosen)
end

return M
