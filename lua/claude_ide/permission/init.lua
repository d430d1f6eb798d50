--- The permissions for which CLIs in terminals ask, in a float that takes neither the focus nor keys until
--- `:ClaudeAnswer` moves the user into it. The host owns its content and handles its keys.
local activity = require('claude_ide.activity')
local announce = require('claude_ide.messages.announce')
local channel = require('claude_ide.channel')
local chat_keys = require('claude_ide.chat.keys')
local highlights = require('claude_ide.highlights')
local location = require('claude_ide.window.location')
local message = require('claude_ide.messages.message')
local moment = require('claude_ide.timing.moment')
local place = require('claude_ide.permission.place')
local plain = require('claude_ide.messages.plain')
local reading = require('claude_ide.window.reading')
local window_close = require('claude_ide.window.close')
local window_looks = require('claude_ide.window.looks')

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace('claude_ide_permission')

local ANSWERS = { 'y', 'a', 'n', 'N', 'd' }
-- These allow something, which the user must have seen first.
local ALLOWING = { y = true, a = true }
-- What is shown only in part: on either key, the host shows the rest.
local CUT = 'request:cut'
local ANSWER = 'Answer the request'
local LOOKS = {
  conceallevel = 0,
  foldenable = false,
  linebreak = false,
  smoothscroll = true,
  winfixbuf = true,
  wrap = true,
}
-- The keys that answer in the dialog of the CLI.
local ANSWERING = { ['\r'] = true, ['\27'] = true }
for digit = 1, 9 do
  ANSWERING[tostring(digit)] = true
end

---@class claude_ide.Permission
---@field id integer
---@field launch string the terminal whose CLI asks
---@field agent string
---@field label string what tells the CLI that asks from others; empty if there are none
---@field labels string[] those of all CLIs that wait
---@field tool string
---@field count integer how many wait
---@field kind string how much of it is shown
---@field lines string[]
---@field marks any[] `{ row, column, end_column, group }`

---@class claude_ide.PermissionFloat
---@field permission claude_ide.Permission
---@field bufnr integer
---@field drawn? claude_ide.Permission
---@field win? integer
---@field reading? claude_ide.Reading what of the drawn one has been on the screen
---@field is_closed boolean whether the user has closed it
---@field origin? claude_ide.Location where the user was before they entered it

local shown ---@type claude_ide.PermissionFloat?
local announced = 0
local group = api.nvim_create_augroup('claude_ide_permission', {})

local update ---@type fun()

local function is_open(state)
  return state.win ~= nil and api.nvim_win_is_valid(state.win)
end

local function has_user(state)
  return is_open(state) and api.nvim_get_current_win() == state.win
end

local function emit(state, key, reason)
  local permission = state.permission
  local fields = { id = permission.id, key = key, kind = permission.kind, reason = reason }
  channel.emit('permission', fields)
end

-- What is on the screen is what a key answers: while the user types a command, another permission may
-- have taken the place of the one that they read.
local function answer(state, key, reason)
  if not is_open(state) or state.drawn ~= state.permission then
    return
  end
  local missing = reading.missing(state.reading)
  if ALLOWING[key] and state.permission.kind ~= CUT and missing then
    local where = has_user(state) and missing or 'there is more below: :ClaudeAnswer goes to it'
    return message.show(where, 'info')
  elseif reading.is_noticed(state.reading) then
    emit(state, key, reason)
    moment.forget_typing()
  end
end

local function press(key)
  if shown and has_user(shown) then
    answer(shown, key)
  end
end

local function leave()
  if shown and has_user(shown) then
    location.go_back(shown.origin or location.current())
  end
end

local function define_keys(bufnr)
  local keys, add = chat_keys.list()
  for _, key in ipairs(ANSWERS) do
    add('n', { key }, 'answer-' .. key, ANSWER, function()
      press(key)
    end)
  end
  add('n', { 'q' }, 'hide', 'Go back; the request continues to wait', leave)
  chat_keys.define(bufnr, keys)
end

local function new_buffer()
  local bufnr = api.nvim_create_buf(false, true)
  vim.bo[bufnr].bufhidden, vim.bo[bufnr].modifiable = 'hide', false
  vim.bo[bufnr].filetype = 'claude-permission'
  define_keys(bufnr)
  return bufnr
end

-- The number of those that wait may have changed only.
local function is_same(one, other)
  return one ~= nil
    and one.id == other.id
    and one.kind == other.kind
    and vim.deep_equal(one.lines, other.lines)
end

local function draw(state)
  if not api.nvim_buf_is_valid(state.bufnr) then
    state.bufnr = new_buffer()
    state.reading = reading.new(state.bufnr)
  elseif state.drawn == state.permission then
    return
  end
  local lines = vim.tbl_map(function(line)
    return ' ' .. plain.harmless(line)
  end, state.permission.lines)
  vim.bo[state.bufnr].modifiable = true
  api.nvim_buf_set_lines(state.bufnr, 0, -1, false, lines)
  vim.bo[state.bufnr].modifiable = false
  api.nvim_buf_clear_namespace(state.bufnr, namespace, 0, -1)
  for _, mark in ipairs(state.permission.marks) do
    local row, first, last, hl_group = unpack(mark)
    local options = { end_col = last + 1, hl_group = hl_group, strict = false }
    api.nvim_buf_set_extmark(state.bufnr, namespace, row, first + 1, options)
  end
  if not is_same(state.drawn, state.permission) then
    reading.restart(state.reading)
  end
  state.drawn = state.permission
end

local function titles(state)
  local permission, is_inside = state.permission, has_user(state)
  local waiting = permission.count > 1 and (' · 1 of %d'):format(permission.count) or ''
  local label = permission.label ~= '' and (' (%s)'):format(permission.label) or ''
  return {
    title = (' %s asks%s '):format(plain.one_line(permission.agent .. label), waiting),
    footer = is_inside and ' q goes back ' or ' :ClaudeAnswer ',
    footer_pos = 'right',
    -- Otherwise the keys that go from window to window would lead into it.
    focusable = is_inside,
  }
end

local function open(state, config)
  config = vim.tbl_extend('error', config, { style = 'minimal', border = 'rounded' })
  state.win = api.nvim_open_win(
    state.bufnr,
    false,
    vim.tbl_extend('error', config, {
      noautocmd = true,
    })
  )
  window_looks.set(state.win, LOOKS)
end

local function close_window(state)
  if is_open(state) then
    local is_inside = has_user(state)
    if is_inside and state.origin then
      location.go_back(state.origin)
    end
    local win = state.win
    state.win = nil
    window_close.window(win)
  end
end

-- Whether the user is in the terminal with the dialog of the CLI that asks.
local function is_at_dialog(state)
  return state.permission.launch ~= '' and vim.b.claude_ide_launch == state.permission.launch
end

local function is_elsewhere(state)
  return is_open(state) and api.nvim_win_get_tabpage(state.win) ~= api.nvim_get_current_tabpage()
end

update = function()
  local state = shown
  if not state then
    return
  end
  local is_hidden = state.is_closed or is_at_dialog(state)
  if is_hidden or is_elsewhere(state) then
    close_window(state)
  end
  if is_hidden then
    return
  end
  local is_new = not is_same(state.drawn, state.permission)
  draw(state)
  local is_inside = has_user(state)
  local config = place.of(state.bufnr, is_inside, is_open(state) and state.win or nil)
  config = vim.tbl_extend('error', config, titles(state))
  if is_open(state) then
    api.nvim_win_set_config(state.win, config)
  else
    open(state, config)
  end
  if is_new then
    api.nvim_win_set_cursor(state.win, { 1, 0 })
  end
  vim.cmd.redraw()
end

local function report(reason)
  message.show(('the request cannot be shown: %s'):format(reason), 'error')
end

local function update_soon()
  moment.when_harmless(update, report)
end

-- It is the user who has closed it, unless its tab page is closed.
local function closed(state)
  local tabpage = api.nvim_win_get_tabpage(state.win)
  state.win, state.is_closed = nil, true
  vim.schedule(function()
    if not api.nvim_tabpage_is_valid(tabpage) then
      state.is_closed = false
      update_soon()
    end
  end)
end

-- The CLI does not report an answer in its dialog before the tool has ended, and shows until then that it
-- waits for us. So a key that answers there leaves the answer to the dialog.
local function notice_dialog(_, typed)
  if shown and ANSWERING[typed] and api.nvim_get_mode().mode == 't' and is_at_dialog(shown) then
    emit(shown, 'left')
  end
end

local function watch()
  api.nvim_clear_autocmds({ group = group })
  vim.on_key(notice_dialog, namespace)
  local function on(event, callback)
    api.nvim_create_autocmd(event, { group = group, callback = callback })
  end
  on({ 'TabEnter', 'WinEnter', 'BufEnter' }, update_soon)
  on('VimResized', function()
    if shown then
      emit(shown, 'resized')
    end
  end)
  on('WinClosed', function(event)
    if shown and shown.win and tonumber(event.match) == shown.win then
      closed(shown)
    end
  end)
end

local function announce_count(permission)
  local count = permission and permission.count or 0
  if count ~= announced then
    announced = count
    activity.changed()
    announce.event('ClaudePermissionWaiting', {
      agent = permission and permission.agent or nil,
      tool = permission and permission.tool or nil,
      count = count,
    })
  end
end

--- What tells the CLIs whose permissions wait from others.
---@return string[]
function M.labels()
  return shown and shown.permission.labels or {}
end

--- How many permissions wait.
---@return integer
function M.count()
  return announced
end

--- The permission that is on the screen.
---@return { since: integer, is_here: boolean, answer: fun(accepted: boolean, reason?: string) }?
function M.awaiting()
  local state = shown
  if not state or not is_open(state) or is_elsewhere(state) then
    return nil
  end
  return {
    since = state.reading.since or vim.uv.hrtime(),
    is_here = has_user(state),
    answer = function(accepted, reason)
      answer(state, accepted and 'y' or 'n', reason)
    end,
  }
end

--- The columns for its text.
---@return integer
function M.width()
  return place.width()
end

--- Show the oldest permission, instead of an earlier one. It does not appear while the user is in the
--- terminal whose CLI asks.
---@param permission claude_ide.Permission
function M.show(permission)
  highlights.define()
  if not shown then
    watch()
    shown = { permission = permission, bufnr = -1, is_closed = false }
  elseif shown.permission.id ~= permission.id then
    shown.is_closed = false
  end
  shown.permission = permission
  announce_count(permission)
  update_soon()
end

--- Close the float: no permission waits any more. The user returns to where they came from.
function M.close()
  local state = shown
  if not state then
    return
  end
  shown = nil
  api.nvim_clear_autocmds({ group = group })
  vim.on_key(nil, namespace)
  announce_count(nil)
  local when = has_user(state) and moment.when_possible or moment.when_harmless
  when(function()
    close_window(state)
    if api.nvim_buf_is_valid(state.bufnr) then
      window_close.buffer(state.bufnr)
    end
  end, report)
end

local function enter(state)
  draw(state)
  if is_elsewhere(state) then
    close_window(state)
  end
  if not is_open(state) then
    open(state, vim.tbl_extend('error', place.of(state.bufnr, true), titles(state)))
  end
  location.leave(function()
    api.nvim_set_current_win(state.win)
  end)
  update()
end

--- Move the user into the float.
function M.enter()
  moment.when_unprompted(function()
    if not shown or has_user(shown) then
      return
    end
    local origin = location.current()
    location.leave_mode(function()
      if shown then
        shown.is_closed, shown.origin = false, origin
        enter(shown)
      end
    end)
  end)
end

return M
