local chat = require('claude_ide.chat.state').list()[1]
local namespace = vim.api.nvim_get_namespaces().claude_ide_chat_mentions
local marks = vim.api.nvim_buf_get_extmarks(chat.prompt, namespace, 0, -1, { details = true })
return vim.tbl_map(function(mark)
  local _, row, first, details = unpack(mark)
  local line = vim.api.nvim_buf_get_lines(chat.prompt, row, row + 1, false)[1]
  return line and line:sub(first + 1, details.end_col) or 'outside'
end, marks)
