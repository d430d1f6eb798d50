--- The files, and the lines in them, that lists and pickers show: under the cursor, in some lines, or marked.
---
--- Each function is a `claude_ide.MentionSource`. The calls were tried with the plugins themselves.
local M = {}

local api, fn = vim.api, vim.fn

local function cursor_line()
  return api.nvim_win_get_cursor(0)[1]
end

local function positive(number)
  return type(number) == 'number' and number > 0 and number or nil
end

function M.quickfix(first, last)
  local is_location_list = fn.getwininfo(api.nvim_get_current_win())[1].loclist == 1
  local items = is_location_list and fn.getloclist(0) or fn.getqflist()
  local entries = {}
  for line = first or cursor_line(), last or cursor_line() do
    local item = items[line]
    if item and item.bufnr > 0 then
      entries[#entries + 1] = {
        path = fn.fnamemodify(api.nvim_buf_get_name(item.bufnr), ':p'),
        first = positive(item.lnum),
        last = positive(item.end_lnum),
      }
    end
  end
  return entries
end

function M.trouble(first, last)
  local win = api.nvim_get_current_win()
  local view = vim.iter(require('trouble.view').get({ open = true })):find(function(each)
    return each.view.win.win == win
  end).view
  local entries = {}
  for line = first or cursor_line(), last or cursor_line() do
    local item = view:at({ line, 0 }).item
    if item and item.filename then
      entries[#entries + 1] = {
        path = item.filename,
        first = item.pos and positive(item.pos[1]),
        last = item.end_pos and positive(item.end_pos[1]),
      }
    end
  end
  return entries
end

local function snacks_entry(item)
  local path = item and require('snacks').picker.util.path(item)
  if not path then
    return nil
  end
  local line = item.pos and positive(item.pos[1])
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
    entries[#entries + 1] = snacks_entry(item)
  end
  return entries
end

function M.telescope()
  local state = require('telescope.actions.state')
  local marked = state.get_current_picker(api.nvim_get_current_buf()):get_multi_selection()
  local entries = {}
  for _, entry in ipairs(#marked > 0 and marked or { state.get_selected_entry() }) do
    local path = entry.path or entry.filename
    if path then
      local line = positive(entry.lnum)
      -- A name may be relative to the folder of the search.
      path = vim.fs.normalize(path)
      local is_absolute = vim.startswith(path, '/') or path:find('^%a:/')
      path = is_absolute and path or vim.fs.joinpath(entry.cwd or fn.getcwd(), path)
      entries[#entries + 1] = { path = path, first = line, last = line and positive(entry.lnend) }
    end
  end
  return entries
end

return M
