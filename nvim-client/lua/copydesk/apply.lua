-- Makes an edit: all of it in one undo block of its own. Whether it still fits is the caller's business.

local M = {}

local function undo_block(buf)
  -- Setting the option ends the block that is open, whatever mode the person is in.
  vim.api.nvim_buf_call(buf, function()
    vim.cmd("let &g:undolevels = &g:undolevels")
  end)
end

function M.apply(buf, edits, encoding)
  undo_block(buf)
  vim.lsp.util.apply_text_edits(edits, buf, encoding)
  undo_block(buf)
end

return M
