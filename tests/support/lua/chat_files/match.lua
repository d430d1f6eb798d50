-- Return the paths of a list that match a pattern.
local listed, pattern, limit = ...
local paths = require('claude_ide.chat.prompt.paths')
local found
paths.in_slices(function()
  local list = paths.new()
  for _, path in ipairs(listed) do
    paths.add(list, path)
  end
  paths.complete(list)
  return paths.match(list, pattern, limit, function()
    return true
  end)
end, function(result)
  found = result
end)
vim.wait(10000, function()
  return found ~= nil
end, 1)
return found
