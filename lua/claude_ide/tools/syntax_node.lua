--- Describes a node of a syntax tree for the model.
local syntax_tree = require('claude_ide.tools.syntax_tree')

local M = {}

local MOST_CHILDREN = 500 -- with more, a node is a list, whose entries have no fields

-- The name of the field in which a node is, if any.
local function field_of(node)
  local parent = node:parent()
  if parent and parent:child_count() <= MOST_CHILDREN then
    for child, field in parent:iter_children() do
      if child:equal(node) then
        return field
      end
    end
  end
end

--- Describe a node for the model.
---@param tree claude_ide.SyntaxTree
---@param node TSNode
---@return table
function M.described(tree, node)
  return vim.tbl_extend('error', syntax_tree.range(tree, node), {
    kind = node:type(),
    field = field_of(node),
    text = syntax_tree.first_line(tree, node),
  })
end

return M
