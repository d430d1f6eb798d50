--- Finds functions, classes and the like in a syntax tree, whatever its language.
local slices = require('claude_ide.when.slices')
local syntax_tree = require('claude_ide.tools.syntax_tree')

local M = {}

local ROWS = 300 -- in a slice

-- Each one is used if the grammar has its nodes and fields.
local QUERIES = {
  '(_ name: (_)) @definition',
  '(function_definition declarator: (_)) @definition',
  '(function_definition (function_declaration)) @definition',
  '(section (_) @_heading) @definition',
}

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

local function is_definition(node)
  local kind = node:type()
  if not matches(KINDS, kind) or matches(OTHERS, kind) then
    return false
  end
  -- In C, `struct point p` names a struct and defines none.
  return not kind:find('specifier$') or node:field('body')[1] ~= nil
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

local function queries_for(language)
  local usable = {}
  for _, query in ipairs(QUERIES) do
    local ok, parsed = pcall(vim.treesitter.query.parse, language, query)
    if ok then
      usable[#usable + 1] = parsed
    end
  end
  return usable
end

---@class claude_ide.Definition: claude_ide.SyntaxRange
---@field kind string the type of its node
---@field name string
---@field depth integer how many other definitions contain it
---@field text string its first line

local function by_position(one, other)
  if one.first ~= other.first then
    return one.first < other.first
  end
  return one.last > other.last
end

-- Sort the definitions, and set their depths.
local function nest(tree, nodes)
  table.sort(nodes, by_position)
  local open, found = {}, {}
  for _, each in ipairs(nodes) do
    while #open > 0 and open[#open] <= each.first do
      open[#open] = nil
    end
    found[#found + 1] = vim.tbl_extend('error', syntax_tree.range(tree, each.node), {
      kind = each.node:type(),
      name = name_of(tree, each.node),
      depth = #open,
      text = syntax_tree.first_line(tree, each.node),
    })
    open[#open + 1] = each.last
  end
  return found
end

--- Find all definitions of a file, in their order.
---@param tree claude_ide.SyntaxTree
---@param done fun(definitions: claude_ide.Definition[])
function M.find(tree, done)
  local queries, nodes, known = queries_for(tree.language), {}, {}
  local starts = {}
  for row = 0, #tree.lines, ROWS do
    starts[#starts + 1] = row
  end
  local function collect(query, row)
    for id, node in query:iter_captures(tree.root, tree.text, row, row + ROWS) do
      local key = node:id()
      if query.captures[id] == 'definition' and not known[key] and is_definition(node) then
        known[key] = true
        local _, _, first = node:start()
        local _, _, last = node:end_()
        nodes[#nodes + 1] = { node = node, first = first, last = last }
      end
    end
  end
  slices.each(starts, function(row)
    for _, query in ipairs(queries) do
      collect(query, row)
    end
  end, function()
    done(nest(tree, nodes))
  end)
end

return M
