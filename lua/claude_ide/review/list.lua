--- The quickfix list of what waits for review: the host fills it, and does what its keys ask for.
local autocommands = require('claude_ide.messages.autocommands')
local channel = require('claude_ide.channel')
local colouring = require('claude_ide.colouring')
local float = require('claude_ide.window.float')
local highlights = require('claude_ide.highlights')
local location = require('claude_ide.window.location')
local plain = require('claude_ide.messages.plain')
local quiet = require('claude_ide.messages.quiet')
local vim_ui = require('claude_ide.ui.vim_ui')
local window_close = require('claude_ide.window.close')
local window_looks = require('claude_ide.window.looks')

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace('claude_ide_review_list')

local TALLEST = 10 -- lines of the quickfix window
local NARROWEST = 40 -- columns of the preview
local LEAST = 3 -- lines between the preview and the edge of the screen that are worth using

local lists = {} ---@type table<integer, table[]> by the id of the quickfix list: `ListItem` of the port

local function list_of(what)
  return vim.fn.getqflist(what)
end

-- The items of the current quickfix list, if that is one of ours.
---@return table[]?
---@return integer id
local function current()
  local id = list_of({ id = 0 }).id
  return lists[id], id
end

--- Whether the quickfix window of this tab page shows a list of ours.
---@return boolean
function M.is_shown()
  return list_of({ winid = 0 }).winid ~= 0 and current() ~= nil
end

--- Which of our lists a buffer shows, and the row of its cursor (`ListCursor` of the port), or nil.
---@type fun(bufnr: integer): { list: integer, row: integer }?
function M.listed(bufnr)
  local shown = list_of({ id = 0, qfbufnr = 0, winid = 0 })
  if shown.qfbufnr == bufnr and lists[shown.id] then
    local win = shown.winid ~= 0 and shown.winid or 0
    return { list = shown.id, row = api.nvim_win_get_cursor(win)[1] - 1 }
  end
end

local function is_quickfix(win)
  local info = vim.fn.getwininfo(win)[1]
  return info ~= nil and info.quickfix == 1 and info.loclist == 0
end

-- The preview

local opened ---@type integer? its window
local shown ---@type table?

local function close_preview()
  if opened and api.nvim_win_is_valid(opened) then
    pcall(window_close.window, opened)
  end
  opened, shown = nil, nil
end

-- Above the quickfix window, or below it if it is at the top of the screen.
local function geometry(win, lines)
  local count, wanted = #lines, math.max(float.widest(lines), NARROWEST)
  local row, column = unpack(api.nvim_win_get_position(win))
  local below = row + api.nvim_win_get_height(win) + 1
  local room_above = row - 2
  local room_below = vim.o.lines - vim.o.cmdheight - below - 2
  local is_above = room_above >= math.max(LEAST, math.min(count, room_below))
  local room = is_above and room_above or room_below
  local height = math.min(count, room)
  return room >= LEAST
    and {
      relative = 'editor',
      row = is_above and row - height - 2 or below,
      col = column,
      width = math.max(1, math.min(wanted, api.nvim_win_get_width(win) - 2)),
      height = height,
      border = 'rounded',
      style = 'minimal',
      focusable = false,
      zindex = 60,
    }
end

local function open_preview(win, item)
  local lines = vim.tbl_map(plain.harmless, item.diff)
  local config = #lines > 0 and geometry(win, lines)
  if not config then
    return close_preview()
  end
  config.title = (' %s '):format(plain.one_line(vim.fn.fnamemodify(item.path, ':t')))
  local bufnr = api.nvim_create_buf(false, true)
  api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].bufhidden, vim.bo[bufnr].modifiable = 'wipe', false
  colouring.set_filetype(bufnr, 'diff')
  if opened and api.nvim_win_is_valid(opened) then
    api.nvim_win_set_buf(opened, bufnr)
    api.nvim_win_set_config(opened, config)
  else
    config.noautocmd = true
    opened = api.nvim_open_win(bufnr, false, config)
  end
  window_looks.set(opened, { wrap = false, winbar = '', winfixbuf = false, foldenable = false })
end

local function preview()
  local win, items = api.nvim_get_current_win(), current()
  local item = items and is_quickfix(win) and items[vim.fn.line('.')]
  if not item then
    return close_preview()
  elseif item ~= shown then
    -- It fails while Neovim locks windows; the next movement then shows it.
    pcall(open_preview, win, item)
    shown = opened and item or nil
  end
end

-- The keys

-- The lines that a key applies to: a count or the Visual area.
local function span()
  local line = vim.fn.line('.')
  if vim.fn.mode():find('[vV\22]') then
    local other = vim.fn.line('v')
    vim.cmd('normal! \27')
    return math.min(line, other), math.max(line, other)
  end
  return line, line + vim.v.count1 - 1
end

local function emit(key, first, last, words)
  local items, id = current()
  local numbers = {}
  for line = first, math.min(last, items and #items or 0) do
    table.insert(numbers, line - 1)
  end
  channel.emit('review_pressed', { key = key, list = id, items = numbers, words = words })
end

local function pressed(key)
  return function()
    emit(key, span())
  end
end

local function comment()
  local first, last = span()
  vim_ui.input('Remark: ', '', function(words)
    if words and words:find('%S') then
      emit('comment', first, last, words)
    end
  end)
end

local KEYS = {
  { 'x', 'revert', 'Revert the change', pressed('revert') },
  { 's', 'keep', 'Keep the change', pressed('keep') },
  { 'u', 'undo', 'Take the last keep back', pressed('undo') },
  { 'c', 'comment', 'Remark on the change', comment },
  { 'C', 'send', 'Send the remarks', pressed('send') },
}

local function show_keys()
  local origin = location.current()
  local lines = { ' <CR>  Go to the change ' }
  for _, each in ipairs(KEYS) do
    table.insert(lines, (' %-5s %s '):format(each[1], each[3]))
  end
  float.show(vim.list_extend(lines, { ' g?    Show these keys ' }), {
    title = 'Keys',
    keys = { 'g?' },
    zindex = 80,
  })
  location.return_on_close(api.nvim_get_current_win(), origin)
end

local attached = {} ---@type table<integer, table[]> replaced maps by buffer

local function set(bufnr, replaced, mode, key, right, options)
  local known = vim.fn.maparg(key, mode, false, true)
  if known.buffer == 1 then
    table.insert(replaced, known)
  end
  vim.keymap.set(mode, key, right, vim.tbl_extend('error', { buffer = bufnr }, options))
end

local function attach(bufnr)
  if attached[bufnr] then
    return
  end
  local replaced = {}
  for _, each in ipairs(KEYS) do
    local key, name, desc, run = unpack(each)
    local plug = ('<Plug>(claude-review-%s)'):format(name)
    for _, mode in ipairs({ 'n', 'x' }) do
      set(bufnr, {}, mode, plug, run, { desc = desc })
      set(bufnr, replaced, mode, key, plug, { desc = desc, remap = true, nowait = true })
    end
  end
  set(bufnr, replaced, 'n', 'g?', show_keys, { desc = 'Show these keys', nowait = true })
  attached[bufnr] = replaced
end

-- Remove the keys, and bring back those that they had replaced.
local function detach(bufnr)
  local replaced = attached[bufnr]
  if not replaced then
    return
  end
  attached[bufnr] = nil
  for _, each in ipairs(KEYS) do
    for _, mode in ipairs({ 'n', 'x' }) do
      pcall(vim.keymap.del, mode, each[1], { buffer = bufnr })
      pcall(vim.keymap.del, mode, ('<Plug>(claude-review-%s)'):format(each[2]), { buffer = bufnr })
    end
  end
  pcall(vim.keymap.del, 'n', 'g?', { buffer = bufnr })
  api.nvim_buf_call(bufnr, function()
    for _, map in ipairs(replaced) do
      pcall(vim.fn.mapset, map)
    end
  end)
end

-- The window

local function highlight(bufnr, items)
  api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  for row, line in ipairs(api.nvim_buf_get_lines(bufnr, 0, -1, false)) do
    local group = items[row] and items[row].group or ''
    local start, _, added, removed = line:find('(%+%d+) (−%d+)  ')
    local function add(first, last, name)
      api.nvim_buf_set_extmark(
        bufnr,
        namespace,
        row - 1,
        first,
        { end_col = last, hl_group = name }
      )
    end
    if group ~= '' then
      add((line:match('^.-|.-|()') or 1) - 1, #line, group)
    elseif start then
      add(start - 1, start + #added - 1, 'ClaudeChatAdded')
      add(start + #added, start + #added + #removed, 'ClaudeChatRemoved')
    end
  end
end

-- The window may show another list by now (`:colder`, `:make`), for which our keys must go.
local function update()
  local win = api.nvim_get_current_win()
  if not is_quickfix(win) then
    return close_preview()
  end
  local bufnr, items = api.nvim_win_get_buf(win), current()
  if not items then
    detach(bufnr)
    api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
    return close_preview()
  end
  attach(bufnr)
  highlight(bufnr, items)
  preview()
end

local function watch()
  local on = autocommands.group('claude_ide_review_list')
  -- Neovim fires this whenever it fills the window, before it is the current one.
  on('BufWinEnter', 'quickfix', vim.schedule_wrap(update))
  on('CursorMoved', nil, preview)
  on({ 'WinEnter', 'WinClosed' }, nil, vim.schedule_wrap(update))
  on({ 'WinLeave', 'TabLeave', 'VimLeavePre' }, nil, close_preview)
  on('VimResized', nil, function()
    close_preview()
    vim.schedule(preview)
  end)
end

local function entries(items)
  return vim.tbl_map(function(item)
    local is_place = item.path ~= ''
    return {
      filename = is_place and item.path or nil,
      lnum = is_place and item.row + 1 or 0,
      text = item.label,
      valid = is_place and 1 or 0,
    }
  end, items)
end

--- Show a list in the quickfix window and enter it, or update one that was shown.
---@param title string
---@param items table[] `ListItem` of the port
---@param id integer of the list to update; 0 for a new one
---@return integer id 0 if the list to update is gone
function M.show(title, items, id)
  if id ~= 0 and list_of({ id = id }).id == 0 then
    lists[id] = nil
    return 0
  end
  highlights.define()
  watch()
  local win = list_of({ winid = 0 }).winid
  local view = id ~= 0 and win ~= 0 and api.nvim_win_call(win, vim.fn.winsaveview)
  local what = { title = title, items = entries(items), id = id ~= 0 and id or nil }
  if id ~= 0 then
    what.idx = list_of({ id = id, idx = 0 }).idx
  end
  vim.fn.setqflist({}, id ~= 0 and 'r' or ' ', what)
  id = id ~= 0 and id or list_of({ id = 0 }).id
  lists[id] = items
  if view then
    api.nvim_win_call(win, function()
      vim.fn.winrestview(view)
    end)
  elseif what.id == nil then
    -- The keys of the list are for Normal mode.
    vim.cmd.stopinsert()
    quiet.run(function()
      vim.cmd(('botright copen %d'):format(math.max(2, math.min(#items, TALLEST))))
      api.nvim_win_set_cursor(0, { 1, 0 })
    end)
  end
  shown = nil
  update()
  return id
end

return M
