--- Finds functions, classes and the like in a syntax tree, whatever its language.
local slices = require('claude_ide.when.slices')
local syntax_tree = require('claude_ide.tools.syntax_tree')

local M = {}

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

-- Sort the definitions, and set their depths.
local function nest(nodes)
  table.sort(nodes, by_position)
  local open = {}
  for _, each in ipairs(nodes) do
    while #open > 0 and open[#open] <= each.first do
      open[#open] = nil
    end
    each.depth = #open
    open[#open + 1] = each.last
  end
  return nodes
end

--- Describe definitions that `find` has found.
---@param tree claude_ide.SyntaxTree
---@param found claude_ide.FoundDefinition[]
---@param done fun(definitions: claude_ide.Definition[])
function M.describe(tree, found, done)
  local described = {}
  slices.each(found, function(each)
    described[#described + 1] = vim.tbl_extend('error', syntax_tree.range(tree, each.node), {
      kind = each.node:type(),
      name = name_of(tree, each.node),
      depth = each.depth,
      text = syntax_tree.first_line(tree, each.node),
    })
  end, function()
    done(described)
  end)
end

--- Find the definitions of a file, or those around a row, in their order.
---@param tree claude_ide.SyntaxTree
---@param row integer? 0-based
---@param done fun(definitions: claude_ide.FoundDefinition[]|{ error: string })
---@return fun() cancel
function M.find(tree, row, done)
  local nodes, known = {}, {}
  local function collect(query, id, node)
    local key = node:id()
    if query.captures[id] == 'definition' and not known[key] and is_definition(node) then
      known[key] = true
      local start_row, _, first = node:start()
      local end_row, _, last = node:end_()
      nodes[#nodes + 1] =
        { node = node, first = first, last = last, row = start_row, end_row = end_row }
    end
  end
  local search = { queries = queries_for(tree.language), row = row }
  return syntax_tree.captures(tree, search, collect, function(problem)
    if problem then
      return done({ error = ('the definitions cannot be listed: %s'):format(problem) })
    end
    -- Sorting is a slice of its own.
    vim.schedule(function()
      local nested = nest(nodes)
      vim.schedule(function()
        done(nested)
      end)
    end)
  end)
end

return M
