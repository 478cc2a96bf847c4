-- Between a server's characters and Neovim's bytes, within one line. Knows the three encodings of LSP and nothing else.

local M = {}

local NAMED = vim.fn.has("nvim-0.11") == 1 -- str_byteindex and str_utfindex take an encoding's name

--- The byte at which a character begins; the line's end for one beyond it.
function M.byte(line, character, encoding)
  if encoding == "utf-8" then
    return math.min(character, #line)
  end
  if NAMED then
    return vim.str_byteindex(line, encoding, character, false)
  end
  local there, byte = pcall(vim.str_byteindex, line, character, encoding == "utf-16")
  return there and math.min(byte, #line) or #line
end

--- The way back. A byte beyond the line's end is its end.
function M.character(line, byte, encoding)
  byte = math.max(0, math.min(byte, #line))
  if encoding == "utf-8" then
    return byte
  end
  if NAMED then
    return vim.str_utfindex(line, encoding, byte, false)
  end
  local code_points, units = vim.str_utfindex(line, byte)
  return encoding == "utf-16" and units or code_points
end

return M
