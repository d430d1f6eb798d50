local lines = {}
for i = 1, 100000 do
  lines[i] = 'some text of a line ' .. i
end
vim.api.nvim_buf_set_lines(0, 0, -1, true, lines)
local began = os.clock()
local request = { start_text = 'line 99000', end_text = 'line 99999' }
assert(require('claude_ide.file.open').passage(0, request))
return (os.clock() - began) * 1000
