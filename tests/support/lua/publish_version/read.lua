local id, ms = ...
local version = require('claude_ide.checking.publish_version')
_G.seen = {}
vim.api.nvim_create_autocmd('DiagnosticChanged', {
  callback = function()
    table.insert(_G.seen, { version.version() or 'none', version.namespace() })
  end,
})
version.track(vim.lsp.get_client_by_id(id), ms)
