local lines, cases = ...
local p = require('claude_ide.file.text')
vim.api.nvim_buf_set_lines(0, 0, -1, true, lines)
return vim.tbl_map(function(case)
  return p.to_lsp(0, case[1], case[2])
end, cases)
