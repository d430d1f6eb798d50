--- Where files are listed: which of them a mention means, by the filetype of the buffer. The calls of other
--- plugins were tried with the plugins themselves.
local reason = require('claude_ide.messages.reason')

local M = {}

local api, fn = vim.api, vim.fn

---@class claude_ide.SourceEntry
---@field path string
---@field folder? string of a relative path; default: the current one
---@field first? integer a line, from 1
---@field last? integer inclusive

--- Returns the files of some lines of the current buffer. Without lines: those that are marked, otherwise the
--- one under the cursor. The folder above, `..`, is meant only if it is the only line.
---@alias claude_ide.MentionSource fun(first?: integer, last?: integer): (string|claude_ide.SourceEntry)[]

---@type table<string, claude_ide.MentionSource|false> the user's own ones, by filetype
local added = {}

local sources = {} ---@type table<string, claude_ide.MentionSource> by filetype

-- Those of Vim's plugins, and of Vim itself, are in `autoload/claude_ide/file_lists.vim`, for both editors.
for _, filetype in ipairs({ 'dirvish', 'fern', 'fugitive', 'nerdtree', 'netrw', 'qf' }) do
  sources[filetype] = function(first, last)
    return fn['claude_ide#file_lists#' .. filetype](first and { first, last } or {})
  end
end

local function cursor()
  return api.nvim_win_get_cursor(0)[1]
end

-- What `at` returns for each line, without nil and false. Without lines the cursor's is meant.
local function collect(first, last, at)
  local found = {}
  for line = first or cursor(), last or cursor() do
    found[#found + 1] = at(line) or nil
  end
  return found
end

-- A file, a folder of the tree, or a commit with its files.
local function diffview_paths(item, root)
  if item.files then
    return vim.tbl_map(function(file)
      return file.absolute_path
    end, item.files)
  end
  return { item.absolute_path or vim.fs.joinpath(root, item.path) }
end

function sources.DiffviewFiles(first, last)
  local view = assert(require('diffview.lib').get_current_view(), 'this is no view of diffview')
  local found = collect(first, last, function(line)
    -- It knows only the item under the cursor.
    api.nvim_win_set_cursor(0, { line, 0 })
    local item = view.panel:get_item_at_cursor()
    return item and diffview_paths(item, view.adapter.ctx.toplevel)
  end)
  return vim.iter(found):flatten():totable()
end

local function paths_of(nodes, field)
  return vim.tbl_map(function(node)
    return node[field]
  end, nodes)
end

sources['neo-tree'] = function(first, last)
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
  return #marked > 0 and marked or collect(first, last, at)
end

function sources.NvimTree(first, last)
  local tree = require('nvim-tree.api')
  if first then
    local explorer = require('nvim-tree.core').get_explorer()
    return paths_of(explorer:get_nodes_in_range(first, last), 'absolute_path')
  end
  local marked = tree.marks.list()
  return paths_of(#marked > 0 and marked or { tree.tree.get_node_under_cursor() }, 'absolute_path')
end

function sources.oil(first, last)
  local oil = require('oil')
  local folder = assert(oil.get_current_dir(0), 'the folder is not on this machine')
  return collect(first, last, function(line)
    local entry = oil.get_entry_on_line(0, line)
    return entry and not (entry.name == '..' and first ~= last) and folder .. entry.name
  end)
end

function sources.minifiles(first, last)
  return collect(first, last, function(line)
    local entry = require('mini.files').get_fs_entry(0, line)
    return entry and entry.path or nil
  end)
end

local function trouble_entry(item)
  local first, last = (item.pos or {})[1], (item.end_pos or {})[1]
  return item.filename and { path = item.filename, first = first, last = last } or nil
end

function sources.trouble(first, last)
  local win = api.nvim_get_current_win()
  local view = vim.iter(require('trouble.view').get({ open = true })):find(function(each)
    return each.view.win.win == win
  end).view
  local items = collect(first, last, function(line)
    local place = view:at({ line, 0 })
    -- The heading of a group means its items, which may be folded.
    return place.item and { place.item } or place.node and place.node:flatten()
  end)
  return vim.iter(items):flatten():map(trouble_entry):totable()
end

-- A buffer is meant as a whole; its line is where the cursor was.
local function snacks_entry(item, source)
  local path = item and require('snacks').picker.util.path(item)
  if not path then
    return nil
  end
  local is_whole = source == 'buffers' or not item.pos
  return { path = path, first = not is_whole and item.pos[1] or nil, last = (item.end_pos or {})[1] }
end

function sources.snacks_picker_list(first, last)
  local picker = vim.iter(require('snacks').picker.get()):find(function(each)
    return each:is_focused()
  end)
  assert(picker, 'the picker is closed')
  local items = {}
  if first and vim.bo.filetype == 'snacks_picker_list' then
    for line = first, last do
      items[#items + 1] = picker.list:get(picker.list:row2idx(line))
    end
  else
    items = picker:selected({ fallback = true })
  end
  local entries = {}
  for _, item in ipairs(items) do
    entries[#entries + 1] = snacks_entry(item, picker.opts.source)
  end
  return entries
end

-- Only the entry of a buffer has an indicator.
function sources.TelescopePrompt()
  local state = require('telescope.actions.state')
  local marked = state.get_current_picker(api.nvim_get_current_buf()):get_multi_selection()
  local entries = {}
  for _, entry in ipairs(#marked > 0 and marked or { state.get_selected_entry() }) do
    local path = entry.path or entry.filename
    if path then
      entries[#entries + 1] = {
        path = path,
        folder = entry.cwd,
        first = not entry.indicator and entry.lnum or nil,
        last = entry.lnend,
      }
    end
  end
  return entries
end

-- Its items are tables, or `path`, `path\0line` and so on.
local function mini_pick_entry(item, folder)
  if type(item) == 'string' then
    local path, line = unpack(vim.split(item, '\0', { plain = true }))
    item = { path = path, lnum = tonumber(line) }
  end
  local path = item.path or item.bufnr and api.nvim_buf_get_name(item.bufnr)
  return path and { path = path, folder = folder, first = item.lnum, last = item.end_lnum }
end

function sources.minipick()
  local pick = require('mini.pick')
  local matches = assert(pick.get_picker_matches(), 'the picker is closed')
  local folder = pick.get_picker_opts().source.cwd
  local items = matches.marked and #matches.marked > 0 and matches.marked or { matches.current }
  return vim
    .iter(items)
    :map(function(item)
      return mini_pick_entry(item, folder)
    end)
    :totable()
end

sources.DiffviewFileHistory = sources.DiffviewFiles
sources.snacks_picker_input = sources.snacks_picker_list

--- Set where the files come from that are mentioned in buffers of a filetype.
---@param filetype string
---@param source claude_ide.MentionSource|false false: nowhere
function M.add(filetype, source)
  vim.validate('filetype', filetype, 'string')
  vim.validate('source', source, function(value)
    return value == false or vim.is_callable(value)
  end, 'a function or false')
  added[filetype] = source
end

--- What the user means in the current buffer, as its source returns it; nil if files are not listed in it.
--- The host makes mentions of it (`Listed` in `editor/mentions.py`).
---@param first? integer the range of the command, if it has one
---@param last? integer
---@return { filetype: string, in_lines: boolean, items: any, error: string? }?
function M.listed(first, last)
  local filetype = vim.bo.filetype
  local source = added[filetype]
  if source == nil then
    source = sources[filetype]
  end
  if not source then
    return nil
  end
  -- A source may move the cursor; an error in another plugin is not one of ours.
  local view = fn.winsaveview()
  local ok, items = pcall(function()
    local found = source(first, last)
    vim.json.encode(found)
    return found
  end)
  pcall(fn.winrestview, view)
  return {
    filetype = filetype,
    in_lines = first ~= nil,
    items = ok and items or nil,
    error = not ok and reason.of(items) or nil,
  }
end

return M
