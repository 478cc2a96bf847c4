-- Which file is run. A workspace is somebody else's: nothing in it is ever run because it happens to lie there.
-- Knows PATH and folders; nothing of servers.

local M = {}

local uv = vim.uv or vim.loop
local WINDOWS = vim.fn.has("win32") == 1

local function absolute(path)
  return path:sub(1, 1) == "/" or (WINDOWS and path:match("^%a:[/\\]") ~= nil)
end

local function real(path)
  return uv.fs_realpath(path) or path
end

local function within(path, folder)
  path, folder = real(path):gsub("\\", "/"), real(folder):gsub("\\", "/"):gsub("/+$", "")
  return path == folder or path:sub(1, #folder + 1) == folder .. "/"
end

local function names(name)
  if not WINDOWS then
    return { name }
  end
  local found = {}
  for extension in (vim.env.PATHEXT or ".EXE;.CMD;.BAT"):gmatch("[^;]+") do
    found[#found + 1] = name .. extension:lower()
  end
  return found
end

--- The file `name` stands for, or nil and why there is none. folders: where it must not be looked for.
function M.find(name, folders)
  name = vim.fn.expand(name, true)
  if absolute(name) then
    if vim.fn.executable(name) == 1 then
      return name
    end
    return nil, ("%s cannot be run"):format(name)
  end
  if name:find("[/\\]") then
    return nil, ("%s is a relative path: name it from the root"):format(name)
  end
  local passed_over
  for folder in (vim.env.PATH or ""):gmatch(WINDOWS and "[^;]+" or "[^:]+") do
    for _, file in ipairs(names(name)) do
      local path = folder .. "/" .. file
      if absolute(folder) and vim.fn.executable(path) == 1 then
        local inside = false
        for _, workspace in ipairs(folders) do
          inside = inside or within(folder, workspace)
        end
        if not inside then
          return path
        end
        passed_over = passed_over or path
      end
    end
  end
  if passed_over then
    return nil, ("%s lies in the workspace: name it in the option `cmd` to have it run"):format(passed_over)
  end
  return nil, ("%s is not on PATH: pip install copydesk, or set the option `cmd`"):format(name)
end

--- `cmd` with its program found, or nil and why not.
function M.command(cmd, folders)
  local program, why = M.find(cmd[1], folders)
  if not program then
    return nil, why
  end
  local found = { program }
  vim.list_extend(found, cmd, 2)
  return found
end

--- What a command says, and its exit code. It works in a folder of the editor's own, not in the one that is open.
function M.output(command)
  local said = {}
  local function hear(_, lines)
    vim.list_extend(said, lines)
  end
  local job = vim.fn.jobstart(command, {
    cwd = vim.env.VIMRUNTIME,
    env = { PYTHONSAFEPATH = "1" },
    stdout_buffered = true,
    stderr_buffered = true,
    on_stdout = hear,
    on_stderr = hear,
  })
  local code = job > 0 and vim.fn.jobwait({ job }, 10000)[1] or -1
  return vim.trim(table.concat(said, "\n")), code
end

return M
