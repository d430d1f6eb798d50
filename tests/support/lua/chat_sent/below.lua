local chat = require('claude_ide.chat.state').list()[1]
local namespace = vim.api.nvim_get_namespaces().claude_ide_chat_outage
local marks = vim.api.nvim_buf_get_extmarks(chat.transcript, namespace, 0, -1, { details = true })
return marks[1] and vim.tbl_map(function(row)
  return row[1][1]
end, marks[1][4].virt_lines) or {}
