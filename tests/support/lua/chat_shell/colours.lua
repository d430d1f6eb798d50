-- The colours of the transcript: `{ row, first, last, group }`.
local namespace = vim.api.nvim_create_namespace('claude_ide_chat_code')
local bufnr = vim.iter(vim.api.nvim_list_bufs()):find(function(candidate)
  return vim.bo[candidate].filetype == 'claude-chat'
end)
local found = vim.api.nvim_buf_get_extmarks(bufnr, namespace, 0, -1, { details = true })
return vim.tbl_map(function(mark)
  return { mark[2], mark[3], mark[4].end_col, mark[4].hl_group }
end, found)
