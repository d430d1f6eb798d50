local name = ...
local namespace = vim.api.nvim_get_namespaces()[name]
local bufnr = vim.fn.bufnr('/claude-chat/')
local found = {}
for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(bufnr, namespace, 0, -1, { details = true })) do
  found[#found + 1] = { mark[2], mark[3], mark[4].end_row, mark[4].end_col, mark[4].hl_group }
end
return found
