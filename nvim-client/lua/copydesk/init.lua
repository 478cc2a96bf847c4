-- What configurations and mappings call. Knows nothing of how any of it is done.

local M = {}

--- Options (`:help copydesk-options`) and a server for every buffer of their file types.
function M.setup(user)
  require("copydesk.options").set(user or {})
  require("copydesk.start").enable()
end

--- Edit lines `first` to `last` of the current buffer; asks for the instruction where none is given.
function M.edit(asked)
  require("copydesk.edit").ask(vim.api.nvim_get_current_buf(), asked.first, asked.last, asked.instruction)
end

--- Cancel what is on its way in the current buffer, or drop what is shown.
function M.cancel()
  require("copydesk.edit").cancel(vim.api.nvim_get_current_buf())
end

--- Apply what is shown in the current buffer.
function M.accept()
  require("copydesk.edit").accept(vim.api.nvim_get_current_buf())
end

--- Drop what is shown in the current buffer.
function M.reject()
  require("copydesk.edit").reject(vim.api.nvim_get_current_buf())
end

--- A few words for a statusline; empty in buffers that copydesk does not look after.
function M.statusline()
  return require("copydesk.status").line(vim.api.nvim_get_current_buf())
end

return M
