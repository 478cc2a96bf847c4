-- For `vim.lsp.enable("copydesk")`, Neovim 0.11 and newer.
return require("copydesk.start").lsp_config()
