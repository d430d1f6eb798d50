_G.events = {}
require('claude_ide.checking.events').subscribe(function(bufnr, namespace)
  local known = namespace and vim.diagnostic.get_namespace(namespace).name
  table.insert(_G.events, { bufnr, known or 'unknown' })
end)
