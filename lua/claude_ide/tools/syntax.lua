--- The model's questions about the syntax of a file.
local bounded = require('claude_ide.tools.bounded')
local definitions = require('claude_ide.tools.definitions')
local place = require('claude_ide.tools.place')
local syntax_node = require('claude_ide.tools.syntax_node')
local syntax_process = require('claude_ide.tools.syntax_process')
local syntax_tree = require('claude_ide.tools.syntax_tree')

local M = {}

local MOST_LINES = 400 -- of a definition
--- The node at a place, and its ancestors.
---@type claude_ide.Tool
function M.node(arguments, answer)
  local row, col = place.position(place.buffer(arguments.file), arguments)
  return syntax_tree.use(arguments.file, answer, function(tree)
    local nodes = {}
    local node = tree.root:named_descendant_for_range(row, col, row, col)
    while node do
      nodes[#nodes + 1] = syntax_node.described(tree, node)
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

--- The captures of a tree-sitter query.
---@type claude_ide.Tool
function M.query(arguments, answer)
  local stop
  local cancel = syntax_tree.read(arguments.file, answer, function(source)
    local result
    source.pause(function(resume)
      stop = syntax_process.run(source, arguments, function(done)
        result = done
        resume()
      end)
    end)
    return result
  end)
  return function()
    cancel()
    if stop then
      stop()
    end
  end
end

return M
