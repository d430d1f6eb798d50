vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'a\0b', 'c\0d' })
local area = require('claude_ide.selection.visual').area
return {
  area('V', { 0, 1, 1, 0 }, { 0, 2, 1, 0 }, false).text,
  area('\22', { 0, 1, 1, 0 }, { 0, 2, 3, 0 }, false).text,
}
