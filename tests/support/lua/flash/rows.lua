-- The rows of the current buffer that are highlighted, 1-based.
local namespace = vim.api.nvim_get_namespaces().claude_ide_flash
local rows = {}
for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, namespace or -1, 0, -1, { details = true })) do
  for row = mark[2] + 1, mark[4].end_row do
    table.insert(rows, row)
  end
end
return rows
