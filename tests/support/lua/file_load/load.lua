local loading = require('claude_ide.file.load')
local bufnr, refusal = loading.add(...)
local note, err = loading.hidden(bufnr)
return { refusal or vim.NIL, note or vim.NIL, err or vim.NIL }
