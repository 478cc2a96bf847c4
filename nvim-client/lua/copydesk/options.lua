-- What a person can choose, with its defaults. Knows names and types; nothing of what the values do.

local M = {}

local defaults = {
  -- The server. A bare name is looked for on PATH, never in the workspace.
  cmd = { "copydesk", "lsp" },
  filetypes = { "python" },
  root_markers = { ".git", "pyproject.toml", "setup.py", "setup.cfg" },
  -- The server's settings, as in SETTINGS.md: `{ lint = "on", recipes = { ... } }`.
  settings = {},
  -- Wait for :CopydeskAccept or :CopydeskReject instead of applying an edit as soon as it is whole.
  preview = false,
  -- Milliseconds of calm before the server is told what is in sight.
  debounce = 150,
}

local chosen = vim.deepcopy(defaults)

--- The options in force.
function M.get()
  return chosen
end

--- Defaults overridden by `user`. What is no option, or no value of its option, is named and left out.
function M.set(user)
  chosen = vim.deepcopy(defaults)
  for name, value in pairs(user) do
    if defaults[name] == nil then
      require("copydesk.say").warn(("there is no option %q"):format(tostring(name)))
    elseif type(value) ~= type(defaults[name]) then
      require("copydesk.say").warn(("the option %q is a %s"):format(name, type(defaults[name])))
    else
      chosen[name] = value
    end
  end
end

return M
