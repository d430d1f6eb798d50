local colouring = require('claude_ide.colouring')
local CONTAINERS = { block_quote = true, list_item = true }
local function depth_of(node)
  local deepest = 0
  for child in node:iter_children() do
    deepest = math.max(deepest, depth_of(child))
  end
  return deepest + (CONTAINERS[node:type()] and 1 or 0)
end
return vim.tbl_map(function(text)
  if colouring.obstacle(text) then
    return -1
  end
  return depth_of(vim.treesitter.get_string_parser(text, 'markdown'):parse()[1]:root())
end, ...)
