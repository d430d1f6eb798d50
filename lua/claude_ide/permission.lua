--- The permissions for which CLIs in terminals ask, in a float that takes neither the focus nor keys until
--- `:ClaudeAnswer` moves the user into it. The host owns its content and handles its keys.
local announce = require('claude_ide.messages.announce')
local autocommands = require('claude_ide.messages.autocommands')
local channel = require('claude_ide.channel')
local chat_page = require('claude_ide.chat.page')
local float = require('claude_ide.window.float')
local highlights = require('claude_ide.highlights')
local location = require('claude_ide.window.location')
local message = require('claude_ide.messages.message')
local moment = require('claude_ide.timing.moment')
local reading = require('claude_ide.window.reading')
local window_close = require('claude_ide.window.close')
local window_looks = require('claude_ide.window.looks')

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace('claude_ide_permission')
local on, group = autocommands.group('claude_ide_permission')

local WIDEST, NARROWEST = 78, 20
local BORDER = 2
local HIGHEST = 0.5 -- of the screen, until the user enters it

local ANSWERS = { 'y', 'a', 'n', 'N', 'd' }
-- These allow something, which the user must have seen first.
local ALLOWING = { y = true, a = true }
-- What is shown only in part: on either key, the host shows the rest.
local CUT = 'request:cut'
-- The keys that answer in the dialog of the CLI.
local IN_DIALOG = '^[\r\0271-9]$'
local LOOKS = {
  conceallevel = 0,
  foldenable = false,
  linebreak = false,
  smoothscroll = true,
  winfixbuf = true,
  wrap = true,
}

---@class claude_ide.Permission
---@field id integer
---@field launch string the terminal whose CLI asks
---@field agent string
---@field title string
---@field tool string
---@field count integer how many wait
---@field kind string how much of it is shown
---@field lines string[]
---@field marks any[] `{ row, column, end_column, group }`

---@class claude_ide.PermissionFloat
---@field permission claude_ide.Permission
---@field is_closed boolean whether the user has closed it
---@field win? integer
---@field drawn? claude_ide.Permission what is in the window
---@field reading? claude_ide.Reading what of the drawn one has been on the screen
---@field origin? claude_ide.Location where the user was before they entered it

local shown ---@type claude_ide.PermissionFloat?
local announced = 0

local function is_open(state)
  return state.win ~= nil and api.nvim_win_is_valid(state.win)
end

local function has_user(state)
  return is_open(state) and api.nvim_get_current_win() == state.win
end

local function emit(state, key, reason)
  local id, kind = state.permission.id, state.permission.kind
  channel.emit('permission', { id = id, key = key, kind = kind, reason = reason })
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
    message.show(where, 'info')
  elseif reading.is_noticed(state.reading) then
    emit(state, key, reason)
    moment.forget_typing()
  end
end

---@return claude_ide.ChatKey[]
local function keys()
  local function leave()
    location.go_back(shown and shown.origin or location.current())
  end
  local list = { { 'n', { 'q' }, 'hide', 'Go back; the request continues to wait', leave } }
  for _, key in ipairs(ANSWERS) do
    local function press()
      if shown and has_user(shown) then
        answer(shown, key)
      end
    end
    table.insert(list, { 'n', { key }, 'answer-' .. key, 'Answer the request', press })
  end
  return list
end

-- It is in the corner of the user's window that is away from the cursor, because another window may show the
-- dialog of the CLI, or from the prompt of a CLI. While the user is in it, it stays, and shows all it can.
local function config_of(state)
  local lines, is_inside = state.permission.lines, has_user(state)
  local tabline, tabpages = vim.o.showtabline, #api.nvim_list_tabpages()
  local top = (tabline == 2 or tabline == 1 and tabpages > 1) and 1 or 0
  local bottom = vim.o.lines - vim.o.cmdheight - (vim.o.laststatus > 0 and 1 or 0)
  local most = bottom - top - BORDER
  most = is_inside and most or math.min(most, math.floor(vim.o.lines * HIGHEST))
  local width =
    math.max(1, math.min(math.max(NARROWEST, float.widest(lines) + 1), vim.o.columns - BORDER))
  local height = math.max(1, math.min(float.rows(lines, width), most))
  local win = is_inside and state.origin and state.origin.win or 0
  win = api.nvim_win_is_valid(win) and win or 0
  local row, column = unpack(api.nvim_win_get_position(win))
  local rows = api.nvim_win_get_height(win)
  local is_at_top = vim.bo[api.nvim_win_get_buf(win)].buftype == 'terminal'
    or api.nvim_win_call(win, vim.fn.winline) > rows / 2
  local right = math.min(column + api.nvim_win_get_width(win), vim.o.columns)
  row = is_at_top and row or row + rows - BORDER - height
  return {
    relative = 'editor',
    row = math.max(top, math.min(row, bottom - BORDER - height)),
    col = math.max(0, right - BORDER - width),
    width = width,
    height = height,
    title = (' %s '):format(state.permission.title),
    footer = is_inside and ' q goes back ' or ' :ClaudeAnswer ',
    footer_pos = 'right',
    -- Otherwise the keys that go from window to window would lead into it.
    focusable = is_inside,
    style = 'minimal',
    border = 'rounded',
  }
end

local function open(state)
  local bufnr = chat_page.buffer()
  vim.bo[bufnr].filetype = 'claude-permission'
  chat_page.define(bufnr, keys())
  state.reading, state.drawn = reading.new(bufnr), nil
  local config = vim.tbl_extend('error', config_of(state), { noautocmd = true })
  state.win = api.nvim_open_win(bufnr, false, config)
  window_looks.set(state.win, LOOKS)
end

local function draw(state)
  local drawn, new = state.drawn, state.permission
  if drawn == new then
    return
  end
  chat_page.draw(api.nvim_win_get_buf(state.win), new.lines, new.marks)
  state.drawn = new
  -- The number of those that wait may have changed only.
  local is_same = drawn and drawn.id == new.id and drawn.kind == new.kind
  if not is_same or not vim.deep_equal(drawn.lines, new.lines) then
    reading.restart(state.reading)
    api.nvim_win_set_cursor(state.win, { 1, 0 })
  end
end

local function close(state)
  local win = is_open(state) and state.win
  if win then
    if has_user(state) and state.origin then
      location.go_back(state.origin)
    end
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

-- Show, hide or draw the float, as it should be now. While the user enters it, it is never hidden.
---@param is_entered? boolean
local function update(is_entered)
  local state = shown
  if not state then
    return
  end
  local is_hidden = not is_entered and (state.is_closed or is_at_dialog(state))
  if is_hidden or is_elsewhere(state) then
    close(state)
  end
  if is_hidden then
    return
  elseif not is_open(state) then
    open(state)
  end
  draw(state)
  api.nvim_win_set_config(state.win, config_of(state))
  vim.cmd.redraw()
end

local report = message.failure('the request cannot be shown: %s')

local function update_soon()
  moment.when_harmless(update, report)
end

local function watch()
  api.nvim_clear_autocmds({ group = group })
  -- The CLI does not report an answer in its dialog before the tool has ended, and shows until then that it
  -- waits for us. So a key that answers there leaves the answer to the dialog.
  vim.on_key(function(_, typed)
    local is_answer = shown and typed:find(IN_DIALOG) and api.nvim_get_mode().mode == 't'
    if is_answer and is_at_dialog(shown) then
      emit(shown, 'left')
    end
  end, namespace)
  on({ 'TabEnter', 'WinEnter', 'BufEnter' }, nil, update_soon)
  on('VimResized', nil, function()
    emit(shown, 'resized')
  end)
  -- It is the user who closes it, unless its tab page is closed.
  on('WinClosed', nil, function(event)
    local state = shown
    if state and state.win and tonumber(event.match) == state.win then
      local tabpage = api.nvim_win_get_tabpage(state.win)
      state.win, state.is_closed = nil, true
      vim.schedule(function()
        state.is_closed = api.nvim_tabpage_is_valid(tabpage)
        update_soon()
      end)
    end
  end)
end

---@param permission? claude_ide.Permission
local function announce_count(permission)
  local count = permission and permission.count or 0
  if count ~= announced then
    announced = count
    announce.event('ClaudePermissionWaiting', {
      agent = permission and permission.agent,
      tool = permission and permission.tool,
      count = count,
    })
  end
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

--- The columns for its text, with a blank before it.
---@return integer
function M.width()
  return math.max(NARROWEST, math.min(WIDEST, vim.o.columns - BORDER - 2))
end

--- Show the oldest permission, instead of an earlier one. It does not appear while the user is in the
--- terminal whose CLI asks.
---@param permission claude_ide.Permission
function M.show(permission)
  highlights.define()
  if not shown then
    watch()
    shown = { permission = permission, is_closed = false }
  end
  shown.is_closed = shown.is_closed and shown.permission.id == permission.id
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
    close(state)
  end, report)
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
        update(true)
        location.leave(function()
          api.nvim_set_current_win(shown.win)
        end)
        update()
      end
    end)
  end)
end

return M
