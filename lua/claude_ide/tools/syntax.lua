--- The model's questions about the syntax of a file.
local bounded = require('claude_ide.tools.bounded')
local definitions = require('claude_ide.tools.definitions')
local place = require('claude_ide.tools.place')
local syntax_tree = require('claude_ide.tools.syntax_tree')

local M = {}

local MOST_LINES = 400 -- of a definition
local MOST_CHILDREN = 500 -- with more, a node is a list, whose entries have no fields

-- Limits of a query of the model's, whose work may grow with the square of each: rows that are searched
-- at once, and matches in progress.
local ROWS = 50
local MATCHES = 32

-- Others run patterns, or functions of plugins, over which nobody has a limit.
local PREDICATES = {
  ['eq?'] = true,
  ['not-eq?'] = true,
  ['any-eq?'] = true,
  ['any-not-eq?'] = true,
  ['any-of?'] = true,
  ['not-any-of?'] = true,
}

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

local function described(tree, node)
  return vim.tbl_extend('error', syntax_tree.range(tree, node), {
    kind = node:type(),
    field = field_of(node),
    text = syntax_tree.first_line(tree, node),
  })
end

--- The node at a place, and its ancestors.
---@type claude_ide.Tool
function M.node(arguments, answer)
  local row, col = place.position(place.buffer(arguments.file), arguments)
  return syntax_tree.use(arguments.file, answer, function(tree)
    local nodes = {}
    local node = tree.root:named_descendant_for_range(row, col, row, col)
    while node do
      nodes[#nodes + 1] = described(tree, node)
      node = node:parent()
      tree.pause()
    end
    return { nodes = nodes, language = tree.language }
  end)
end

local function part(found, arguments)
  local first = arguments.offset + 1
  return vim.list_slice(found, first, first + arguments.limit - 1)
end

--- The definitions of a file.
---@type claude_ide.Tool
function M.outline(arguments, answer)
  return syntax_tree.use(arguments.file, answer, function(tree)
    local found = definitions.find(tree)
    return { total = #found, definitions = definitions.describe(tree, part(found, arguments)) }
  end)
end

-- The definitions around a line, the innermost one first.
local function around(found, line)
  local these = vim.tbl_filter(function(each)
    return each.row < line and line <= each.end_row + 1
  end, found)
  table.sort(these, function(one, other)
    return one.depth > other.depth
  end)
  return these
end

--- The definitions around a line, the innermost one first, with its text.
---@type claude_ide.Tool
function M.enclosing(arguments, answer)
  return syntax_tree.use(arguments.file, answer, function(tree)
    local line = arguments.line
    if line > #tree.lines then
      error(('there is no line %d; the file has %d'):format(line, #tree.lines), 0)
    end
    local found = definitions.describe(tree, around(definitions.find(tree, line - 1), line))
    local inner = found[1]
    local last = inner and math.min(inner.end_line, inner.line + MOST_LINES - 1)
    return {
      definitions = found,
      lines = inner and bounded.lines(vim.list_slice(tree.lines, inner.line, last)) or {},
    }
  end)
end

-- The first predicate or directive in a query that is not allowed.
local function forbidden(query)
  for _, predicates in pairs(query.info.patterns) do
    for _, predicate in ipairs(predicates) do
      if not PREDICATES[predicate[1]] then
        return predicate[1]
      end
    end
  end
end

local function query_of(language, text)
  local ok, query = pcall(vim.treesitter.query.parse, language, text)
  if not ok then
    local reason = vim.split(tostring(query), '\n')[1]
    error(('the query is wrong: %s'):format(reason:gsub('^.-: ', '')), 0)
  end
  local name = forbidden(query)
  if name then
    local allowed = vim.tbl_keys(PREDICATES)
    table.sort(allowed)
    error(('#%s is not allowed here; #%s are'):format(name, table.concat(allowed, ', #')), 0)
  end
  return query
end

-- The captures of a query, `{ name, node }`, in the order of their positions.
local function run(query, tree)
  local found, known = {}, {}
  local search = { query = query, rows = ROWS, matches = MATCHES }
  local ok, problem = pcall(syntax_tree.captures, tree, search, function(id, node)
    local key = node:id() .. '\0' .. id
    if not known[key] then
      known[key] = true
      found[#found + 1] = { name = query.captures[id], node = node }
    end
  end)
  if not ok then
    error(('the query was stopped: %s'):format(problem), 0)
  end
  return found
end

--- The captures of a tree-sitter query.
---@type claude_ide.Tool
function M.query(arguments, answer)
  return syntax_tree.use(arguments.file, answer, function(tree)
    local found = run(query_of(tree.language, arguments.query), tree)
    local captures = vim.tbl_map(function(each)
      tree.pause()
      return vim.tbl_extend('error', described(tree, each.node), { name = each.name })
    end, part(found, arguments))
    return { total = #found, captures = captures }
  end)
end

return M
