--- The script of the process in which a query of the model's runs (`syntax_process.lua`). It reads a request
--- as JSON in one line, then the text of a file, and writes the answer as JSON.
local root = vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(arg[0]))))
vim.opt.runtimepath:prepend(root)

local syntax_node = require('claude_ide.tools.syntax_node')
local syntax_tree = require('claude_ide.tools.syntax_tree')

-- Rows that are searched at once, and matches in progress: the work may grow with the square of each.
local ROWS = 50
local MATCHES = 32

-- Others run patterns, or functions of plugins.
local PREDICATES = {
  ['eq?'] = true,
  ['not-eq?'] = true,
  ['any-eq?'] = true,
  ['any-not-eq?'] = true,
  ['any-of?'] = true,
  ['not-any-of?'] = true,
}

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

local function tree_of(request, text)
  local language = request.language
  vim.treesitter.language.add(language, { path = request.parser })
  local options = { injections = { [language] = '' } }
  local parser = vim.treesitter.get_string_parser(text, language, options)
  local began = vim.uv.hrtime()
  return {
    root = parser:parse()[1]:root(),
    language = language,
    text = text,
    lines = vim.split(text, '\n', { plain = true }),
    pause = function()
      return (vim.uv.hrtime() - began) / 1e6
    end,
  }
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

local function answer_to(request, text)
  local tree = tree_of(request, text)
  local found = run(query_of(tree.language, request.query), tree)
  local first = request.offset + 1
  local part = vim.list_slice(found, first, first + request.limit - 1)
  local captures = vim.tbl_map(function(each)
    return vim.tbl_extend('error', syntax_node.described(tree, each.node), { name = each.name })
  end, part)
  return { total = #found, captures = captures }
end

local given = io.read('*a')
local head, text = given:match('^(.-)\n(.*)$')
local ok, result = pcall(answer_to, vim.json.decode(head), text)
io.stdout:write(vim.json.encode(ok and result or { error = result }))
