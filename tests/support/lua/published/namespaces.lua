local names = {}
for namespace in pairs(require('claude_ide.diagnostics.published').sets(...)) do
  table.insert(names, vim.diagnostic.get_namespace(namespace).name)
end
table.sort(names)
return names
