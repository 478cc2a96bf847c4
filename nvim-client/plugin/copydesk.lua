-- Commands, and what has to be there before the first server is: everything else is loaded when it is needed.

if vim.g.loaded_copydesk then
  return
end
vim.g.loaded_copydesk = 1

if vim.fn.has("nvim-0.8") == 0 then
  vim.notify("copydesk needs Neovim 0.8 or newer", vim.log.levels.WARN)
  return
end

local command = vim.api.nvim_create_user_command

command("CopydeskEdit", function(args)
  require("copydesk").edit({ first = args.line1, last = args.line2, instruction = args.args })
end, {
  range = true,
  nargs = "*",
  desc = "Edit these lines as the instruction says",
  complete = function(lead, line, at)
    return require("copydesk.history").complete(lead, line, at)
  end,
})
command("CopydeskCancel", function()
  require("copydesk").cancel()
end, { desc = "Cancel the edit on its way in this buffer" })
command("CopydeskAccept", function()
  require("copydesk").accept()
end, { desc = "Apply the edit that is shown" })
command("CopydeskReject", function()
  require("copydesk").reject()
end, { desc = "Drop the edit that is shown" })
command("CopydeskProgram", function()
  require("copydesk.program").show()
end, { desc = "Show the last program, with each line's origin" })
command("CopydeskStatus", function()
  require("copydesk.status").show()
end, { desc = "Show how the server is" })
command("CopydeskModel", function()
  require("copydesk.model").get()
end, { desc = "Fetch the standard model and restart the server with it" })
command("CopydeskRestart", function()
  require("copydesk.start").restart()
end, { desc = "Restart the server" })

for name, action in pairs({ accept = "Accept", reject = "Reject", cancel = "Cancel" }) do
  vim.keymap.set("n", "<Plug>(copydesk-" .. name .. ")", "<Cmd>Copydesk" .. action .. "<CR>")
end

local function highlights()
  vim.api.nvim_set_hl(0, "CopydeskAdd", { link = "DiffAdd", default = true })
  vim.api.nvim_set_hl(0, "CopydeskDelete", { link = "DiffDelete", default = true })
  vim.api.nvim_set_hl(0, "CopydeskKept", { link = "Comment", default = true })
  vim.api.nvim_set_hl(0, "CopydeskHint", { link = "DiagnosticHint", default = true })
  vim.api.nvim_set_hl(0, "CopydeskCopied", { link = "Comment", default = true })
  vim.api.nvim_set_hl(0, "CopydeskGenerated", { link = "DiffAdd", default = true })
  vim.api.nvim_set_hl(0, "CopydeskSubstituted", { link = "DiffChange", default = true })
end
highlights()

-- A server speaks before the first buffer is attached to it.
for method, handler in pairs({
  ["copydesk/status"] = { "copydesk.status", "told" },
  ["copydesk/hunk"] = { "copydesk.edit", "hunk" },
  ["copydesk/retract"] = { "copydesk.edit", "retract" },
  ["copydesk/inlineCompletions"] = { "copydesk.inline_completion", "again" },
}) do
  vim.lsp.handlers[method] = function(_, params, context)
    require(handler[1])[handler[2]](params, context)
  end
end
vim.lsp.commands["copydesk.editWithInstruction"] = function(action)
  require("copydesk.edit").from_action(action)
end
vim.lsp.commands["copydesk.chooseAlternative"] = function(action)
  require("copydesk.edit").choose_from_action(action)
end

local group = vim.api.nvim_create_augroup("copydesk", { clear = true })
vim.api.nvim_create_autocmd("ColorScheme", { group = group, callback = highlights })
vim.api.nvim_create_autocmd("LspAttach", {
  group = group,
  callback = function(args)
    require("copydesk.attach").attached(args.data.client_id, args.buf)
  end,
})
