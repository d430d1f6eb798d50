--- The files that other plugins' file trees list: under the cursor, in some lines, or marked.
---
--- Each function is a `claude_ide.MentionSource`. The calls were tried with the plugins themselves. The
--- folder above, `..`, is meant only if it is the only line.
local lines = require('claude_ide.selection.lines')

local M = {}

local api, fn = vim.api, vim.fn

local function paths_of(nodes, field)
  return vim.tbl_map(function(node)
    return node[field]
  end, nodes)
end

function M.neo_tree(first, last)
  local state = require('neo-tree.sources.manager').get_state_for_window()
  local tree = assert(state and state.tree, 'the tree is not ready')
  local function at(line)
    local node = tree:get_node(line)
    return node and node.type ~= 'message' and node.path or nil
  end
  local marked = {}
  for id in pairs(not first and state.selected or {}) do
    local node = tree:get_node(id)
    marked[#marked + 1] = node and node.path
  end
  table.sort(marked)
  return #marked > 0 and marked or lines.collect(first, last, at)
end

function M.nvim_tree(first, last)
  local tree = require('nvim-tree.api')
  if first then
    local explorer = require('nvim-tree.core').get_explorer()
    return paths_of(explorer:get_nodes_in_range(first, last), 'absolute_path')
  end
  local marked = tree.marks.list()
  return paths_of(#marked > 0 and marked or { tree.tree.get_node_under_cursor() }, 'absolute_path')
end

function M.oil(first, last)
  local oil = require('oil')
  local folder = assert(oil.get_current_dir(0), 'the folder is not on this machine')
  return lines.collect(first, last, function(line)
    local entry = oil.get_entry_on_line(0, line)
    return entry and not (entry.name == '..' and first ~= last) and folder .. entry.name
  end)
end

function M.mini_files(first, last)
  return lines.collect(first, last, function(line)
    local entry = require('mini.files').get_fs_entry(0, line)
    return entry and entry.path or nil
  end)
end

-- Moves the cursor. A line has several files only in the wide style.
local function netrw_at(line, is_one_of_many)
  if line ~= lines.cursor() then
    fn.cursor(line, 1)
  end
  -- A line of its banner, and the folder itself.
  if api.nvim_get_current_line():find('^"') then
    return nil
  end
  local word = fn['netrw#Call']('NetrwGetWord')
  if word == '' or word == './' or word == '../' and is_one_of_many then
    return nil
  end
  return vim.fs.normalize(fn['netrw#Call']('NetrwFile', word))
end

function M.netrw(first, last)
  -- A text if nothing is marked.
  local marked = fn['netrw#Expose']('netrwmarkfilelist')
  if not first and type(marked) == 'table' and #marked > 0 then
    return marked
  end
  return lines.collect(first, last, function(line)
    return netrw_at(line, first ~= last)
  end)
end

function M.dirvish(first, last)
  -- The marks are an argument list of this window; the global one is not a choice that was made here.
  if not first and fn.arglistid() ~= 0 and fn.argc() > 0 then
    return fn.argv()
  end
  return lines.collect(first, last, function(line)
    return fn.getline(line)
  end)
end

local NERDTREE = "{path -> empty(path) ? '' : path.str()}(b:NERDTree.ui.getPath(%d))"

function M.nerdtree(first, last)
  return lines.collect(first, last, function(line)
    local is_above = vim.startswith(fn.getline(line), '.. ')
    return not (is_above and first ~= last) and fn.eval(NERDTREE:format(line))
  end)
end

-- Vimscript that makes a list of nodes: they cannot all be converted to Lua.
local FERN_LINES =
  "map(range(%d, %d), 'get(b:fern.visible_nodes, b:fern.renderer.index(v:val), {})')"
local FERN_MARKED = 'fern#helper#new().sync.get_marked_nodes()'
-- A node of another scheme than `file` may have no path.
local FERN_PATHS = "filter(map(%s, 'get(v:val, \"_path\", 0)'), 'type(v:val) == v:t_string')"

function M.fern(first, last)
  local marked = first and {} or fn.eval(FERN_PATHS:format(FERN_MARKED))
  if #marked > 0 then
    return marked
  end
  local nodes = FERN_LINES:format(first or lines.cursor(), last or lines.cursor())
  return fn.eval(FERN_PATHS:format(nodes))
end

return M
