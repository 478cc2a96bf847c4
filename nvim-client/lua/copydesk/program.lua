-- `:CopydeskProgram`: the last program the server made for the person, line by line with where each comes from.
-- Knows `copydesk/program`; nothing of how edits come about.

local ask = require("copydesk.ask")
local say = require("copydesk.say")

local M = {}

local namespace = vim.api.nvim_create_namespace("copydesk_program")
local NAME = "copydesk://program"
local MARK = { copied = "=", generated = "+", substituted = "~" }
local GROUP = {
  copied = "CopydeskCopied",
  generated = "CopydeskGenerated",
  substituted = "CopydeskSubstituted",
}

--- The lines to show, those of the text and their origin first; and highlights as { row, first byte, last byte, group }.
function M.draw(program)
  local lines, highlights = {}, {}
  local width, digits = 0, 1
  for _, row in ipairs(program.lines) do
    width = math.max(width, #row.op)
    digits = math.max(digits, #tostring(row.line))
  end
  for _, row in ipairs(program.lines) do
    if type(row.parts) ~= "table" then
      lines[#lines + 1] = ("%s ⋮ %s │ %d lines"):format((" "):rep(digits), row.op .. (" "):rep(width - #row.op), row.count)
    else
      local gutter = ("%" .. digits .. "d %s %-" .. width .. "s │ "):format(row.line, MARK[row.origin], row.op)
      local text = gutter
      for _, part in ipairs(row.parts) do
        local origin, piece = part[1], vim.fn.strtrans((part[2]:gsub("\t", "    ")))
        if origin ~= "copied" then
          local group = GROUP[row.origin]
          highlights[#highlights + 1] = { #lines, #text, #text + #piece, group }
        end
        text = text .. piece
      end
      highlights[#highlights + 1] = { #lines, 0, #gutter, "CopydeskCopied" }
      lines[#lines + 1] = text
    end
  end
  lines[#lines + 1] = ""
  vim.list_extend(lines, vim.split((program.program:gsub("\n$", "")), "\n", { plain = true }))
  local unsafe = program.applicability == "unsafe" and " (unsafe)" or ""
  local summary = ("%s: %s, %s%s"):format(vim.uri_to_fname(program.uri), program.status, program.verdict, unsafe)
  vim.list_extend(lines, { "", summary })
  return lines, highlights
end

local function window()
  local buf = vim.fn.bufnr("^" .. NAME .. "$")
  if buf == -1 then
    buf = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(buf, NAME)
    vim.bo[buf].buftype = "nofile"
    vim.bo[buf].bufhidden = "hide"
    vim.bo[buf].swapfile = false
    vim.keymap.set("n", "q", "<Cmd>close<CR>", { buffer = buf })
  end
  local shown = vim.fn.win_findbuf(buf)[1]
  if shown then
    vim.api.nvim_set_current_win(shown)
  else
    vim.cmd("botright split")
    vim.api.nvim_win_set_buf(0, buf)
  end
  return buf
end

function M.show()
  ask("copydesk/program", function(err, program)
    if err or type(program) ~= "table" then
      say.info(err and err.message or "no program has been made yet")
      return
    end
    local lines, highlights = M.draw(program)
    local buf = window()
    vim.bo[buf].modifiable = true
    vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
    vim.bo[buf].modifiable = false
    vim.api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
    for _, one in ipairs(highlights) do
      vim.api.nvim_buf_set_extmark(buf, namespace, one[1], one[2], { end_col = one[3], hl_group = one[4] })
    end
  end)
end

return M
