local cases = ...
local selection = require('claude_ide.selection')
return vim.tbl_map(function(case)
  vim.api.nvim_buf_set_lines(0, 0, -1, true, case.lines)
  vim.o.selection, vim.o.virtualedit = case.selection, case.virtualedit
  vim.api.nvim_win_set_cursor(0, { case.row, 0 })
  vim.cmd('normal! ' .. case.keys)
  local mode, now = vim.fn.mode(), selection.current()
  vim.cmd('silent normal! y')
  return { mode, now, vim.fn.getreg('"', 1, true) }
end, cases)
