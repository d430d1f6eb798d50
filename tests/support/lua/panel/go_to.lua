local words = ...
local chat = require('claude_ide.chat.state').list()[1]
for row, line in ipairs(vim.api.nvim_buf_get_lines(chat.transcript, 0, -1, false)) do
  if line:find(words, 1, true) then
    local window = vim.fn.win_findbuf(chat.transcript)[1]
    vim.api.nvim_set_current_win(window)
    vim.api.nvim_win_set_cursor(window, { row, 0 })
    return true
  end
end
return false
