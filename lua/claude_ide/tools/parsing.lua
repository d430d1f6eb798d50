--- The script of the process in which the host parses a text for the model (`mcp/model/syntax.py`). It reads
--- a request as JSON in one line, then the text, and writes the answer as JSON. Columns are bytes, from 0.

-- Rows that are searched at once, and matches in progress: the work may grow with the square of each.
local ROWS, MATCHES = 50, 32
local MOST_CAPTURES = 50000
local MOST_CHILDREN = 500 -- with more, a node is a list, whose entries have no fields

-- Others run patterns, or functions of plugins.
local PREDICATES = { 'any-eq?', 'any-not-eq?', 'any-of?', 'eq?', 'not-any-of?', 'not-eq?' }

local request, text = vim.json.decode(io.read('*l')), io.read('*a')

local function parse()
  local language = request.language
  vim.treesitter.language.add(language, { path = request.parser })
  -- Without the query for injections, because no question is about their trees.
  local options = { injections = { [language] = '' } }
  return vim.treesitter.get_string_parser(text, language, options):parse()[1]:root()
end

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

local function described(node, capture)
  local range = { node:range() }
  return { kind = node:type(), range = range, field = field_of(node), capture = capture }
end

-- The captures of a query, `{ node, name }`, of a row or all, in the order of their positions. Raises an
-- error if there are too many.
local function captures(root, query, row)
  local found, known = {}, {}
  local last = row or select(2, text:gsub('\n', ''))
  for first = row or 0, last, ROWS do
    local stop = row and row + 1 or first + ROWS
    local limits = { match_limit = MATCHES }
    for id, node in query:iter_captures(root, text, first, stop, limits) do
      local key = node:id() .. '\0' .. id
      if not known[key] then
        known[key], found[#found + 1] = true, { node, query.captures[id] }
      end
      if #found > MOST_CAPTURES then
        error(('it captures more than %d nodes'):format(MOST_CAPTURES), 0)
      end
    end
  end
  return found
end

local function query_of_the_model()
  local ok, query = pcall(vim.treesitter.query.parse, request.language, request.query)
  if not ok then
    local reason = vim.split(tostring(query), '\n')[1]
    error(('the query is wrong: %s'):format(reason:gsub('^.-: ', '')), 0)
  end
  for _, predicates in pairs(query.info.patterns) do
    for _, predicate in ipairs(predicates) do
      if not vim.list_contains(PREDICATES, predicate[1]) then
        local allowed = table.concat(PREDICATES, ', #')
        error(('#%s is not allowed here; #%s are'):format(predicate[1], allowed), 0)
      end
    end
  end
  return query
end

local ANSWERS = {}

-- The node at a position, and its ancestors.
function ANSWERS.node(root)
  local row, col = unpack(request.at)
  local nodes, node = {}, root:named_descendant_for_range(row, col, row, col)
  while node do
    nodes[#nodes + 1] = described(node)
    node = node:parent()
  end
  return { nodes = nodes }
end

-- Some of what a query captures, and how much that is.
function ANSWERS.query(root)
  local ok, found = pcall(captures, root, query_of_the_model())
  if not ok then
    error(('the query was stopped: %s'):format(found), 0)
  end
  local part = vim.list_slice(found, request.offset + 1, request.offset + request.limit)
  local nodes = vim.tbl_map(function(each)
    return described(each[1], each[2])
  end, part)
  return { nodes = nodes, total = #found }
end

-- The node with a definition's name: C has it inside declarators.
local function name_node(node)
  local found = node:field('name')[1] or node:field('declarator')[1]
  while found and found:field('declarator')[1] do
    found = found:field('declarator')[1]
  end
  return found
end

local function with_parts(node)
  local parts, name = {}, name_node(node)
  for child, field in node:iter_children() do
    parts[field or child:type()] = true
  end
  return {
    kind = node:type(),
    range = { node:range() },
    name = name and { name:range() } or nil,
    parts = table.concat(vim.tbl_keys(parts), ' '),
  }
end

-- The nodes that may define something, of a row or all, with the fields or else types of their children. The
-- query names their types: a wildcard would be compared with the root of the tree, and then with all of its
-- children, for each part of the file.
function ANSWERS.definitions(root)
  local fits, excluded = vim.regex(request.kinds), vim.regex(request.others)
  local patterns = {}
  for kind, is_named in pairs(vim.treesitter.language.inspect(request.language).symbols) do
    local may_define = is_named and fits:match_str(kind) and not excluded:match_str(kind)
    patterns[#patterns + 1] = may_define and ('(%s) @definition'):format(kind) or nil
  end
  local query = vim.treesitter.query.parse(request.language, table.concat(patterns, '\n'))
  local nodes = vim.tbl_map(function(each)
    return with_parts(each[1])
  end, captures(root, query, request.row))
  return { nodes = nodes }
end

local ok, result = pcall(function()
  return ANSWERS[request.answer](parse())
end)
io.stdout:write(vim.json.encode(ok and result or { error = result }))
