local names = {}
for _, namespace in ipairs(require('claude_ide.checking.events').namespaces(...)) do
  table.insert(names, vim.diagnostic.get_namespace(namespace).name)
end
table.sort(names)
return names
