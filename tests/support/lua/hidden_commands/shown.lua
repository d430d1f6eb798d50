local chat = require('claude_ide.chat.state').get(1)
local win = vim.fn.win_findbuf(chat.transcript)[1]
local found = {}
local last = vim.fn.line('$', win)
vim.api.nvim_win_set_cursor(win, { 1, 0 })
while true do
  vim.api.nvim_win_call(win, function()
    vim.cmd('normal! zt')
  end)
  vim.cmd.redraw()
  local line = vim.api.nvim_win_get_cursor(win)[1]
  local here = vim.fn.screenpos(win, line, 1)
  local row = ''
  for column = here.col, here.col + vim.api.nvim_win_get_width(win) - 1 do
    row = row .. vim.fn.screenstring(here.row, column)
  end
  local is_next_below = line == last or vim.fn.screenpos(win, line + 1, 1).row <= here.row + 1
  found[line] =
    { row, vim.api.nvim_buf_get_lines(chat.transcript, line - 1, line, false)[1], is_next_below }
  if line == last then
    return found
  end
  vim.api.nvim_win_set_cursor(win, { line + 1, 0 })
end
