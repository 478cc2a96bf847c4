-- What differs between Neovim 0.8 and the newest. Knows nothing of copydesk but its client's name.

local M = {}

local METHODS = vim.fn.has("nvim-0.11") == 1 -- a client's functions take the client itself

--- copydesk's client for a buffer, or for any where `buf` is nil; nil where there is none.
function M.client(buf)
  local get = vim.lsp.get_clients or vim.lsp.get_active_clients
  return get({ name = "copydesk", bufnr = buf })[1]
end

--- The client of the current buffer, else any.
function M.any_client()
  return M.client(vim.api.nvim_get_current_buf()) or M.client()
end

--- All clients of that name.
function M.clients()
  local get = vim.lsp.get_clients or vim.lsp.get_active_clients
  return get({ name = "copydesk" })
end

local function call(client, name, ...)
  if METHODS then
    return client[name](client, ...)
  end
  return client[name](...)
end

--- Whether it was sent, and its id. What the buffer has changed is sent first.
function M.request(client, method, params, handler, buf)
  return call(client, "request", method, params, handler, buf)
end

--- `{ result = … }` or `{ err = … }`; nil where no answer came in time.
function M.request_sync(client, method, params, timeout, buf)
  return call(client, "request_sync", method, params, timeout, buf)
end

function M.notify(client, method, params)
  return call(client, "notify", method, params)
end

function M.cancel(client, id)
  return call(client, "cancel_request", id)
end

function M.stop(client, force)
  return call(client, "stop", force)
end

function M.is_stopped(client)
  return call(client, "is_stopped")
end

--- The version the server knows a buffer by, once it has been sent what has changed.
function M.version(buf)
  return vim.lsp.util.buf_versions[buf]
end

--- The runs in which two texts differ by lines, as { first, count, first, count }.
function M.diff(old, new)
  local diff = vim.text and vim.text.diff or vim.diff
  return diff(old, new, { result_type = "indices" })
end

return M
