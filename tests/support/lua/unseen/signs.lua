-- The signs of the current buffer, as `line` and, for removed lines, `line_` or `line^`.
local namespace = vim.api.nvim_get_namespaces().claude_ide_unseen
local looks = { ['▎'] = '', ['▁'] = '_', ['▔'] = '^' }
local signs = {}
-- Without it the modules are not loaded yet.
local marks = namespace and vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })
for _, mark in ipairs(marks or {}) do
  table.insert(signs, (mark[2] + 1) .. looks[vim.trim(mark[4].sign_text)])
end
return table.concat(signs, ' ')
