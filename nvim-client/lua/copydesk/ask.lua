-- A question to whichever copydesk server there is, about no document of its own.

local compat = require("copydesk.compat")
local say = require("copydesk.say")

--- Ask `method`; `answered(err, result)`. Where no server runs, the person is told.
return function(method, answered)
  local client = compat.any_client()
  if not client then
    say.warn("no server is running")
    return
  end
  compat.request(client, method, vim.empty_dict(), answered, vim.api.nvim_get_current_buf())
end
