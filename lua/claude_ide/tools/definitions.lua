--- Finds functions, classes and the like in a syntax tree, whatever its language.
local syntax_tree = require('claude_ide.tools.syntax_tree')

local M = {}

-- Patterns for the types of nodes that count as definitions, and of those that do not.
local KINDS = {
  'function',
  'method',
  'constructor',
  'class',
  'struct',
  'enum',
  'union',
  'interface',
  'trait',
  'impl',
  'module',
  'namespace',
  'macro',
  'section',
  'type_alias',
  'type_item',
  'type_declaration',
  'type_definition',
}
local OTHERS = { 'call', 'parameter', 'argument', 'import', 'reference', 'invocation', '_type$' }

local function matches(patterns, text)
  return vim.iter(patterns):any(function(pattern)
    return text:find(pattern) ~= nil
  end)
end

local function can_define(kind)
  return matches(KINDS, kind) and not matches(OTHERS, kind)
end

local function has_child(node, kind)
  return vim.iter(node:iter_children()):any(function(child)
    return child:type() == kind
  end)
end

local function is_definition(node)
  local kind = node:type()
  if not can_define(kind) then
    return false
  elseif kind == 'section' then
    return node:named_child_count() > 0
  elseif node:field('name')[1] then
    -- In C, `struct point p` names a struct and defines none.
    return not kind:find('specifier$') or node:field('body')[1] ~= nil
  end
  return kind == 'function_definition'
    and (node:field('declarator')[1] ~= nil or has_child(node, 'function_declaration'))
end

-- The node with a definition's name: C has it inside declarators.
local function name_node(node)
  local found = node:field('name')[1] or node:field('declarator')[1]
  while found and found:field('declarator')[1] do
    found = found:field('declarator')[1]
  end
  return found
end

local function name_of(tree, node)
  local found = name_node(node)
  if found then
    return vim.treesitter.get_node_text(found, tree.text):gsub('%s+', ' ')
  end
  local line = syntax_tree.first_line(tree, node)
  return (line:gsub('^#+%s*', ''))
end

-- A query for all nodes that may be definitions. It names their types: a wildcard would be compared with
-- the root of the tree, and then with all of its children, for each part of the file.
local function query_for(language)
  local patterns = {}
  for kind, is_named in pairs(vim.treesitter.language.inspect(language).symbols) do
    if is_named and not vim.startswith(kind, '_') and can_define(kind) then
      patterns[#patterns + 1] = ('(%s) @definition'):format(kind)
    end
  end
  table.sort(patterns)
  return vim.treesitter.query.parse(language, table.concat(patterns, '\n'))
end

---@class claude_ide.Definition: claude_ide.SyntaxRange
---@field kind string the type of its node
---@field name string
---@field depth integer how many other definitions contain it
---@field text string its first line

---@class claude_ide.FoundDefinition
---@field node TSNode
---@field depth integer
---@field first integer byte
---@field last integer byte
---@field row integer
---@field end_row integer

local function by_position(one, other)
  if one.first ~= other.first then
    return one.first < other.first
  end
  return one.last > other.last
end

-- By position. Sorting all at once would block Neovim, and most rows have one definition.
local function sorted(tree, nodes)
  local rows = {}
  for _, each in ipairs(nodes) do
    rows[each.row] = rows[each.row] or {}
    table.insert(rows[each.row], each)
    tree.pause()
  end
  local found = {}
  for row = 0, #tree.lines do
    if rows[row] then
      table.sort(rows[row], by_position)
      vim.list_extend(found, rows[row])
    end
    tree.pause()
  end
  return found
end

local function set_depths(tree, nodes)
  local open = {}
  for _, each in ipairs(nodes) do
    while #open > 0 and open[#open] <= each.first do
      open[#open] = nil
    end
    each.depth = #open
    open[#open + 1] = each.last
    tree.pause()
  end
  return nodes
end

--- Describe definitions that `find` has found.
---@param tree claude_ide.SyntaxTree
---@param found claude_ide.FoundDefinition[]
---@return claude_ide.Definition[]
function M.describe(tree, found)
  return vim.tbl_map(function(each)
    tree.pause()
    return vim.tbl_extend('error', syntax_tree.range(tree, each.node), {
      kind = each.node:type(),
      name = name_of(tree, each.node),
      depth = each.depth,
      text = syntax_tree.first_line(tree, each.node),
    })
  end, found)
end

--- Find the definitions of a file, or those around a row, in their order.
---
--- Raises an error if there are too many.
---@param tree claude_ide.SyntaxTree
---@param row integer? 0-based
---@return claude_ide.FoundDefinition[]
function M.find(tree, row)
  local nodes, known = {}, {}
  local function collect(_, node)
    local key = node:id()
    if not known[key] and is_definition(node) then
      known[key] = true
      local start_row, _, first = node:start()
      local end_row, _, last = node:end_()
      nodes[#nodes + 1] =
        { node = node, first = first, last = last, row = start_row, end_row = end_row }
    end
  end
  local search = { query = query_for(tree.language), row = row }
  local ok, problem = pcall(syntax_tree.captures, tree, search, collect)
  if not ok then
    error(('the definitions cannot be listed: %s'):format(problem), 0)
  end
  return set_depths(tree, sorted(tree, nodes))
end

return M
