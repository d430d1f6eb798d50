-- The signs of the current buffer, as `line` and, for removed lines, `line_` or `line^`.
local namespace = vim.api.nvim_get_namespaces().claude_ide_unseen
local looks = { ['▎'] = '', ['▁'] = '_', ['▔'] = '^' }
local signs = {}
for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, namespace or -1, 0, -1, { details = true })) do
  table.insert(signs, (mark[2] + 1) .. looks[vim.trim(mark[4].sign_text)])
end
return table.concat(signs, ' ')
