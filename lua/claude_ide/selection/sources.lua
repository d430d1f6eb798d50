--- Where files are listed: which of them a mention means, by the filetype of the buffer.
local git_lists = require('claude_ide.selection.git_lists')
local lists = require('claude_ide.selection.lists')
local reason = require('claude_ide.messages.reason')
local trees = require('claude_ide.selection.trees')

local M = {}

---@class claude_ide.SourceEntry
---@field path string
---@field first? integer a line, from 1
---@field last? integer inclusive

--- Returns the files of some lines of the current buffer. Without lines: those that are marked, otherwise the
--- one under the cursor.
---@alias claude_ide.MentionSource fun(first?: integer, last?: integer): (string|claude_ide.SourceEntry)[]

local MOST = 100

---@type table<string, claude_ide.MentionSource|false> the user's own ones, by filetype
local added = {}

---@type table<string, claude_ide.MentionSource>
local SOURCES = {
  DiffviewFileHistory = git_lists.diffview,
  DiffviewFiles = git_lists.diffview,
  NvimTree = trees.nvim_tree,
  TelescopePrompt = lists.telescope,
  dirvish = trees.dirvish,
  fern = trees.fern,
  fugitive = git_lists.fugitive,
  minifiles = trees.mini_files,
  minipick = lists.mini_pick,
  ['neo-tree'] = trees.neo_tree,
  nerdtree = trees.nerdtree,
  netrw = trees.netrw,
  oil = trees.oil,
  qf = lists.quickfix,
  snacks_picker_input = lists.snacks,
  snacks_picker_list = lists.snacks,
  trouble = lists.trouble,
}

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

local function checked(entries)
  assert(type(entries) == 'table', 'it returned no list')
  local found, seen = {}, {}
  for _, entry in ipairs(entries) do
    entry = type(entry) == 'string' and { path = entry } or entry
    assert(type(entry) == 'table' and type(entry.path) == 'string', 'an item has no path')
    local key = ('%s\n%s\n%s'):format(entry.path, entry.first, entry.last)
    if entry.path ~= '' and not seen[key] then
      found[#found + 1], seen[key] = entry, true
    end
  end
  return found
end

--- The files that the user means in the current buffer; nil if files are not listed in it.
---@param first? integer the range of the command, if it has one
---@param last? integer
---@return claude_ide.SourceEntry[]? entries
---@return string? refusal instead, in one line
function M.entries(first, last)
  local filetype = vim.bo.filetype
  local source = added[filetype]
  if source == nil then
    source = SOURCES[filetype]
  end
  if not source then
    return nil
  end
  -- A source may move the cursor; an error in another plugin is not one of ours.
  local view = vim.fn.winsaveview()
  local ok, entries = pcall(function()
    return checked(source(first, last))
  end)
  pcall(vim.fn.winrestview, view)
  if not ok then
    return nil, ('no file from %s: %s'):format(filetype, reason.of(entries))
  elseif #entries == 0 then
    return nil, first and 'there is no file in these lines' or 'there is no file under the cursor'
  elseif #entries > MOST then
    return nil, ('these are %d files; mention at most %d'):format(#entries, MOST)
  end
  return entries
end

return M
