-- The configuration under test: copydesk as a person sets it up, and beside it a server that owns the diagnostics.
-- The environment names what is where; COPYDESK_SETUP says which way is taken.

if vim.env.COPYDESK_SETUP ~= "stock" then
  vim.opt.runtimepath:prepend(vim.env.COPYDESK_NVIM_CLIENT)
end
vim.opt.swapfile = false
vim.g.loaded_python3_provider = 0 -- Neovim's own, whose Python imports from the working directory
vim.g.notified = {}
vim.notify = function(message)
  local said = vim.g.notified
  said[#said + 1] = message
  vim.g.notified = said
end

if vim.env.COPYDESK_SETUP == "stock" then
  return -- a test does the rest
elseif vim.env.COPYDESK_SETUP == "enable" then
  vim.lsp.enable("copydesk") -- lsp/copydesk.lua, with `copydesk` found on PATH
else
  local cmd = { vim.env.COPYDESK_COMMAND, "lsp" }
  if vim.env.COPYDESK_SETUP == "module" then
    cmd = { vim.env.COPYDESK_PYTHON, "-m", "copydesk_server", "lsp" } -- which imports from the working directory first
  end
  if vim.env.COPYDESK_SETUP == "scripted" then
    cmd = { vim.env.COPYDESK_PYTHON, vim.env.COPYDESK_SCRIPTED_SERVER, "lsp" } -- without a model: instructions say what comes of them
  end
  require("copydesk").setup({ cmd = cmd, settings = { precompute = vim.env.COPYDESK_PRECOMPUTE == "1" } })
end

vim.api.nvim_create_autocmd("FileType", {
  pattern = "python",
  callback = function(args)
    vim.lsp.start({
      name = "linter",
      cmd = { vim.env.COPYDESK_PYTHON, vim.env.COPYDESK_LINTER, vim.env.COPYDESK_LINTER_ENCODING },
      root_dir = vim.fs.dirname(vim.api.nvim_buf_get_name(args.buf)),
    })
  end,
})
