vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'ab', 'cd' })
local area = vim.fn['claude_ide#visual#Area']
local texts = {}
for _, kind in ipairs({ 'v', 'V', '\22' }) do
  local found = area(kind, { 0, 1, 1, 0 }, { 0, 9, vim.v.maxcol, 0 }, false)
  texts[#texts + 1] = vim.fn['claude_ide#visual#Lines'](found)
end
return texts
