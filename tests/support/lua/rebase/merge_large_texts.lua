local base = {}
for row = 1, 60000 do
  base[row] = ('line %d of a text that is rather long'):format(row)
end
local ours, theirs = vim.list_slice(base), vim.list_slice(base)
table.insert(ours, 11, 'mine')
theirs[50000] = 'theirs'
local lines, conflicts = require('claude_ide.file.rebase').merge(base, ours, theirs)
return { { lines[10], lines[11], lines[12], lines[50001], #lines }, conflicts }
