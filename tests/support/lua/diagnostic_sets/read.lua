local diagnostics = require('claude_ide.diagnostics')
local begun, items = diagnostics.begin(...), {}
repeat
  local part = diagnostics.next(begun.token)
  for _, file in ipairs(part.files) do
    vim.list_extend(items, file.items)
  end
until part.done
return items
