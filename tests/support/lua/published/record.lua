_G.events = {}
require('claude_ide.diagnostics.published').subscribe(function(bufnr, namespace)
  local known = namespace and vim.diagnostic.get_namespace(namespace).name
  table.insert(_G.events, { bufnr, known or 'unknown' })
end)
