--- The files, and the lines in them, that lists and pickers show: under the cursor, in some lines, or marked.
---
--- Each function is a `claude_ide.MentionSource`. The calls were tried with the plugins themselves.
local lines = require('claude_ide.selection.lines')

local M = {}

local api, fn = vim.api, vim.fn

local function positive(number)
  return type(number) == 'number' and number > 0 and number or nil
end

function M.quickfix(first, last)
  local is_location_list = fn.getwininfo(api.nvim_get_current_win())[1].loclist == 1
  local items = is_location_list and fn.getloclist(0) or fn.getqflist()
  return lines.collect(first, last, function(line)
    local item = items[line]
    return item
      and item.bufnr > 0
      and {
        path = fn.fnamemodify(api.nvim_buf_get_name(item.bufnr), ':p'),
        first = positive(item.lnum),
        last = positive(item.end_lnum),
      }
  end)
end

local function trouble_entry(item)
  return item.filename
      and {
        path = item.filename,
        first = item.pos and positive(item.pos[1]),
        last = item.end_pos and positive(item.end_pos[1]),
      }
    or nil
end

function M.trouble(first, last)
  local win = api.nvim_get_current_win()
  local view = vim.iter(require('trouble.view').get({ open = true })):find(function(each)
    return each.view.win.win == win
  end).view
  local items = lines.collect(first, last, function(line)
    local place = view:at({ line, 0 })
    -- The heading of a group means its items, which may be folded.
    return place.item and { place.item } or place.node and place.node:flatten()
  end)
  return vim.iter(items):flatten():map(trouble_entry):totable()
end

-- A name may be relative to the folder of the search.
local function absolute(path, folder)
  path = vim.fs.normalize(path)
  local is_absolute = vim.startswith(path, '/') or path:find('^%a:/')
  return is_absolute and path or vim.fs.joinpath(folder or fn.getcwd(), path)
end

-- A buffer is meant as a whole; its line is where the cursor was.
local function snacks_entry(item, source)
  local path = item and require('snacks').picker.util.path(item)
  if not path then
    return nil
  end
  local line = source ~= 'buffers' and item.pos and positive(item.pos[1]) or nil
  return { path = path, first = line, last = line and item.end_pos and positive(item.end_pos[1]) }
end

function M.snacks(first, last)
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
function M.telescope()
  local state = require('telescope.actions.state')
  local marked = state.get_current_picker(api.nvim_get_current_buf()):get_multi_selection()
  local entries = {}
  for _, entry in ipairs(#marked > 0 and marked or { state.get_selected_entry() }) do
    local path = entry.path or entry.filename
    if path then
      local line = not entry.indicator and positive(entry.lnum) or nil
      entries[#entries + 1] = {
        path = absolute(path, entry.cwd),
        first = line,
        last = line and positive(entry.lnend),
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
  return path
    and {
      path = path == '' and '' or absolute(path, folder),
      first = positive(item.lnum),
      last = positive(item.end_lnum),
    }
end

function M.mini_pick()
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

return M
