local lines = {}
for i = 1, 100000 do
  lines[i] = 'some text of a line ' .. i
end
vim.api.nvim_buf_set_lines(0, 0, -1, true, lines)
local began = os.clock()
assert(require('claude_ide.file.passage').find(0, 'line 99000', 'line 99999'))
return (os.clock() - began) * 1000
