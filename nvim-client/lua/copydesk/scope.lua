-- The lines that may change, followed through everything else that changes, with the text they had. Knows buffers; nothing of
-- requests.

local M = {}

local namespace = vim.api.nvim_create_namespace("copydesk_scope")

--- Lines `first` to `last`, 1-based, as they are now.
function M.new(buf, first, last)
  local lines = vim.api.nvim_buf_get_lines(buf, first - 1, last, false)
  return {
    buf = buf,
    lines = lines,
    count = #lines,
    -- New lines right above push it down. What is inserted inside shows in the text.
    mark = vim.api.nvim_buf_set_extmark(buf, namespace, first - 1, 0, {}),
  }
end

--- The 0-based row it begins at now; nil where its text is not what it was.
function M.row(scope)
  if not vim.api.nvim_buf_is_loaded(scope.buf) then
    return nil
  end
  local row = vim.api.nvim_buf_get_extmark_by_id(scope.buf, namespace, scope.mark, {})[1]
  if not row then
    return nil
  end
  local now = vim.api.nvim_buf_get_lines(scope.buf, row, row + scope.count, false)
  if #now ~= scope.count then
    return nil
  end
  for index, line in ipairs(now) do
    if line ~= scope.lines[index] then
      return nil
    end
  end
  return row
end

--- Whether edits lie within the scope where it begins at `row`: whole lines of it, or characters in them.
function M.holds(scope, edits, row)
  local last = row + scope.count
  for _, edit in ipairs(edits) do
    local start, stop = edit.range.start, edit.range["end"]
    if start.line < row or stop.line > last or (stop.line == last and stop.character > 0) then
      return false
    end
  end
  return true
end

--- Nobody follows it any more.
function M.forget(scope)
  if vim.api.nvim_buf_is_loaded(scope.buf) then
    vim.api.nvim_buf_del_extmark(scope.buf, namespace, scope.mark)
  end
end

return M
