local bufnr, channel = ...
local diagnostics, longest = require('claude_ide.diagnostics'), 0
local function timed(name, ...)
  local began = os.clock()
  local result = diagnostics[name](...)
  vim.rpcnotify(channel, 'timed', result)
  longest = math.max(longest, (os.clock() - began) * 1000)
  return result
end
local path = vim.api.nvim_buf_get_name(bufnr)
local set, read = timed('look', path).files[1].sets[1], 0
while read < set.counts[1] do
  read = read + #timed('slice', bufnr, set.id, set.version, 1, read)
end
return longest
