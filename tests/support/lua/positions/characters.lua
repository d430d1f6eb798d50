local line = ...
local p = require('claude_ide.file.text')
return vim.tbl_map(function(col)
  return p.character(line, col)
end, { 0, 1, 3, 6, 10, 11, 13, 14, 15 })
