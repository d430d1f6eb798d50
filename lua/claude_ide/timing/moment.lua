--- The moment at which something may appear or disappear without disturbing the user:
---
--- | gate              | for something that                      | waits for the end of                  |
--- | ----------------- | --------------------------------------- | ------------------------------------- |
--- | `when_free`       | takes the user elsewhere                | `obstacle`, and typing                |
--- | `when_notifiable` | is a message                            | prompts, and half-typed commands      |
--- | `when_harmless`   | changes windows the user is not in      | modes whose next key acts on a window |
--- | `when_ended`      | closes windows the user may be in       | Insert and Visual mode: it ends them  |
--- | `when_unprompted` | was requested, and moves the user       | prompts, and a pending operator       |
--- | `when_changeable` | replaces texts of buffers               | typing in one of them                 |
--- | `when_possible`   | was requested by the user               | nothing else                          |
---
--- Each gate also waits for the end of textlock and of the command-line window. Except for
--- `when_unprompted`, none calls back synchronously: the caller may be inside an autocommand.
--- `guard` comes afterwards: it discards keys that were typed blindly.
local location = require('claude_ide.window.location')

local M = {}

local api = vim.api

-- Milliseconds.
local POLL = 50
local FIRST_POLL = 6 -- and twice as long each time: most obstacles are the end of a command
local QUIET = 400 -- since the last key
local GUARD = 200
local LONGEST_GUARD = 1000

-- Patterns for `mode(1)`, and how the user can end the mode.
local MODES = {
  { '^n?i', 'leave Insert mode' },
  { '^R', 'leave Replace mode' },
  { '^[vV\22]', 'leave Visual mode' },
  { '^[sS\19]', 'leave Select mode' },
  { '^[cr!]', 'answer the prompt' },
}
local MOST_FLOATS = 10 -- in a chain, each relative to the next

---@class claude_ide.Guard
---@field began integer nanoseconds
---@field typed integer nanoseconds: when a key was last discarded, at first when it began
---@field gives_way boolean whether something else may appear meanwhile

local tracker = api.nvim_create_namespace('claude_ide_moment_tracker')
local discarder = api.nvim_create_namespace('claude_ide_moment_guard')
local guards = {} ---@type table<claude_ide.Guard, true> those that have not ended
local is_discarding = false -- whether the last typed key was discarded
local hrtime = vim.uv.hrtime
local last_typed = 0 -- nanoseconds; 0 once it is forgotten
local last_key = 0 -- the same, never forgotten
local claudes_area ---@type any[]? set when Claude selects text
local moves = {} ---@type table[] one for each call that waits and may move the user, in their order

local function milliseconds_since(time)
  return (hrtime() - time) / 1e6
end

--- Start or stop recording when the user types. It has to be on before anything waits, or a window
--- could appear while the user is typing.
---@param on boolean
function M.notice_typing(on)
  last_typed = 0
  vim.on_key(on and function(_, typed)
    if typed ~= '' then
      last_typed = hrtime()
      last_key = last_typed
    end
  end or nil, tracker)
end

--- Called by the host: for how many seconds the user has pressed no key.
---@return number
function M.idle()
  return milliseconds_since(last_key) / 1000
end

--- Forget the keys that the user has typed: they were an answer, after which the agent goes on. What it
--- does next need not wait for a pause.
function M.forget_typing()
  last_typed = 0
end

-- Whether a float is part of a sidebar: such floats cover a split that was opened for them, and stay
-- when they lose the focus.
local function is_sidebar(config)
  for _ = 1, MOST_FLOATS do
    if config.relative ~= 'win' or not api.nvim_win_is_valid(config.win) then
      return false
    end
    local buftype = vim.bo[api.nvim_win_get_buf(config.win)].buftype
    config = api.nvim_win_get_config(config.win)
    if config.relative == '' then
      return buftype ~= '' and buftype ~= 'terminal'
    end
  end
  return false
end

-- Claude's terminal or a chat, where the user waits for proposals.
local function is_claudes()
  local filetype = vim.bo.filetype
  return vim.b.claude_ide_terminal or filetype == 'claude-prompt' or filetype == 'claude-chat'
end

--- Forget the keys that the user has typed if they may have been an answer in Claude's own window.
function M.forget_typing_to_claude()
  if is_claudes() then
    M.forget_typing()
  end
end

-- Whether the user is in a plugin's float, such as a picker, a prompt or a tool in a terminal, which
-- closes when it loses the focus. A float with a file or a chat is a window like any other.
local function is_in_dialog()
  local config = api.nvim_win_get_config(0)
  return config.relative ~= ''
    and vim.bo.buftype ~= ''
    and not is_claudes()
    and not is_sidebar(config)
end

-- Identifies the Visual area of the current window.
local function visual_area()
  local where = { api.nvim_get_current_win(), api.nvim_get_current_buf(), vim.fn.mode(1) }
  return vim.list_extend(where, { vim.fn.getpos('v'), vim.fn.getpos('.') })
end

--- Mark the current Visual area as Claude's: it delays nothing until the user changes it.
function M.claim_visual()
  claudes_area = visual_area()
end

--- Whether Neovim is in a Visual mode that Claude has started and the user has not changed.
---@return boolean
function M.is_claudes_visual()
  return claudes_area ~= nil
    and vim.fn.mode(1):find('^[vV\22]$') ~= nil
    and vim.deep_equal(claudes_area, visual_area())
end

--- Whether the user's next key may depend on the text of a buffer.
---@type fun(bufnr: integer): boolean
function M.is_in_use(bufnr)
  return bufnr == api.nvim_get_current_buf()
    and not vim.fn.mode(1):find('^n?t?$')
    and not M.is_claudes_visual()
end

-- The state "s" (messages have scrolled the screen) does not count: with 'cmdheight' 0 it lasts
-- until the next redraw, and a real prompt shows in the mode.
local function is_at_rest()
  local mode = vim.fn.mode(1)
  local is_normal = mode == 'n' or mode == 'nt' or M.is_claudes_visual()
  return mode == 't' or (is_normal and vim.fn.state('moaxSc') == '')
end

-- Whether the user is in a chat's prompt, and has not typed anything yet: that is where they wait
-- after sending a prompt. A completion without matches leaves Neovim in mode "ic".
local function is_before_typing()
  return vim.list_contains({ 'i', 'ic' }, vim.fn.mode(1))
    and vim.fn.pumvisible() == 0
    and vim.bo.filetype == 'claude-prompt'
    and api.nvim_buf_line_count(0) == 1
    and api.nvim_get_current_line() == ''
end

-- Whether one of Neovim's own windows for messages (`vim._core.ui2`) consumes the next key.
local function has_message()
  return vim.iter(api.nvim_tabpage_list_wins(0)):any(function(win)
    local config = api.nvim_win_get_config(win)
    local filetype = vim.bo[api.nvim_win_get_buf(win)].filetype
    local is_shown = config.relative == 'laststatus' and not config.hide
    local is_large = config.height and config.height > math.max(vim.o.cmdheight, 1)
    return is_shown and (filetype == 'dialog' or filetype == 'cmd' and is_large)
  end)
end

--- What the user has to do before something can appear, such as "leave Insert mode"; nil if nothing
--- but typing delays it.
---@return string? remedy
function M.obstacle()
  if is_in_dialog() then
    return 'leave this window'
  elseif not (is_at_rest() or is_before_typing()) then
    local mode = vim.fn.mode(1)
    local entry = vim.iter(MODES):find(function(each)
      return mode:find(each[1]) ~= nil
    end)
    return entry and entry[2] or 'finish the command'
  elseif vim.fn.getcmdwintype() ~= '' then
    return 'close the command-line window'
  elseif vim.fn.reg_recording() ~= '' then
    return 'stop recording'
  elseif has_message() then
    return 'close the message'
  end
end

--- Whether a message can be shown without being overwritten immediately or consuming a key. It
--- cannot at a prompt, or during a half-typed command.
---@return boolean
function M.can_notify()
  local mode = vim.fn.mode(1)
  -- In Terminal mode the state always contains "S".
  return mode:find('^[niRvVsS\22\19t]') ~= nil
    and not vim.startswith(mode, 'no')
    and vim.fn.state(mode == 't' and 'moaxc' or 'moaxSc') == ''
    and M.is_possible()
    and not has_message()
end

-- Each waits for those before it: a diff that closes would take the user out of the next one.
local function is_free(move)
  return moves[1] == move
    and vim.iter(pairs(guards)):all(function(guard)
      return guard.gives_way
    end)
    and milliseconds_since(last_typed) >= QUIET
    and M.obstacle() == nil
end

-- Other windows may change, except in modes whose next key acts on what is shown.
local function is_harmless()
  local mode = vim.fn.mode(1)
  return mode:find('^[nit]') ~= nil and not vim.startswith(mode, 'no') or M.is_claudes_visual()
end

--- Whether Neovim allows text and windows to change at all: it does not under textlock, or in the
--- command-line window. It checks for both before the arguments, so an invalid window does no harm.
---@return boolean
function M.is_possible()
  local _, refusal = pcall(api.nvim_set_current_win, -1)
  return tostring(refusal):find('Invalid window') ~= nil
end

-- False while the mode is still ending, or about to begin.
local function end_mode()
  local mode = vim.fn.mode(1)
  if mode:find('^n?[iR]') then
    location.end_insert()
    return false
  elseif location.is_resuming() then
    return false
  elseif mode:find('^[vVsS\22\19]') then
    vim.cmd('normal! \27')
  end
  return true
end

local function remove_move(move)
  moves = vim.tbl_filter(function(other)
    return other ~= move
  end, moves)
end

--- Calls `fn` as soon as the gate is open; `on_error` gets a message if it raises. Returns what cancels it.
---@alias claude_ide.Gate fun(fn: fun(), on_error?: fun(message: string), bufnrs?: integer[]): fun()

-- A gate that is open while a condition holds, and Neovim allows windows to change. What moves the user
-- waits in `moves`.
---@param condition fun(move?: table, bufnrs?: integer[]): boolean
---@param is_move? boolean
---@return claude_ide.Gate
local function gate(condition, is_move)
  return function(fn, on_error, bufnrs)
    local is_cancelled, pause, move = false, FIRST_POLL, is_move and {} or nil
    table.insert(moves, move)
    local function poll()
      if is_cancelled then
        return
      elseif not (M.is_possible() and condition(move, bufnrs)) then
        vim.defer_fn(poll, pause)
        pause = math.min(2 * pause, POLL)
        return
      end
      remove_move(move)
      local ok, err = pcall(fn)
      if not ok then
        (on_error or error)(tostring(err))
      end
    end
    vim.schedule(poll)
    return function()
      is_cancelled = true
      remove_move(move)
    end
  end
end

--- The user can be taken elsewhere: nothing is half-typed, no prompt and no command-line window is open, and
--- no key has been typed for 400 ms. In Insert mode no window may appear that reads the keys as commands.
M.when_free = gate(function(move)
  return is_free(move) and end_mode()
end, true)

--- The same for what the user will see, such as "plan": until then the status line counts it, and after three
--- seconds one message says what it waits for (`waiting.vim`).
---@type fun(what: string, fn: fun(), on_error: fun(message: string)): fun()
function M.when_free_for(what, fn, on_error)
  local number = vim.fn['claude_ide#waiting#Add'](what)
  local function forget()
    vim.fn['claude_ide#waiting#Remove'](number)
  end
  local cancel = M.when_free(function()
    forget()
    fn()
  end, on_error)
  return function()
    cancel()
    forget()
  end
end

--- Windows other than the user's may change.
M.when_harmless = gate(is_harmless)

--- Neovim allows windows to change, which the user has requested.
M.when_possible = gate(function()
  return true
end)

--- The texts of these buffers can be replaced.
M.when_changeable = gate(function(_, bufnrs)
  return vim.iter(bufnrs):all(M.may_change)
end)

--- A message can be shown (`can_notify`).
M.when_notifiable = gate(M.can_notify)

--- Insert and Visual mode have been ended: they would continue in whichever window the user ends up in when
--- `fn` closes one.
M.when_ended = gate(end_mode, true)

--- Whether windows other than the user's may change now (`when_harmless`).
---@return boolean
function M.is_harmless()
  return is_harmless() and M.is_possible()
end

--- Call `fn`, which the user has requested: immediately, unless they are at a prompt or in the
--- middle of a command, whose text a new window would discard.
---@param fn fun() its errors reach the caller, or are shown by Neovim
function M.when_unprompted(fn)
  local mode = vim.fn.mode(1)
  if not mode:find('^[cr!]') and not vim.startswith(mode, 'no') and M.is_possible() then
    return fn()
  end
  vim.defer_fn(function()
    M.when_unprompted(fn)
  end, POLL)
end

--- Whether the text of a buffer can be replaced now: the user's next key does not depend on it.
---@type fun(bufnr: integer): boolean
function M.may_change(bufnr)
  return M.is_possible() and not M.is_in_use(bufnr)
end

---@param guard claude_ide.Guard
local function remaining(guard)
  return math.min(
    GUARD - milliseconds_since(guard.typed),
    LONGEST_GUARD - milliseconds_since(guard.began)
  )
end

-- The time is checked here because timers do not run at a prompt: the user could never leave it. What is not
-- typed belongs to the key typed before it, as the rest of a mapping does. With nothing discarded it is of
-- the program that has appeared: its own keys, or the default of an input line.
local function discard(_, typed)
  if typed ~= '' then
    is_discarding = false
    for guard in pairs(guards) do
      if remaining(guard) > 0 then
        guard.typed, is_discarding = hrtime(), true
      end
    end
  end
  return is_discarding and '' or nil
end

--- Discard keys typed blindly into something that has just appeared. Call `fn` when the user pauses,
--- but after a second at the latest: by then they have noticed it. Guards may overlap: keys are discarded
--- until the last one ends.
---@param fn? fun()
---@param gives_way? boolean whether something else may appear meanwhile, with a guard of its own
---@return fun() stop ends it early, without `fn`
function M.guard(fn, gives_way)
  -- Drawing a large diff takes longer than the guard lasts, and the user notices it only once it is
  -- drawn.
  vim.cmd.redraw()
  local now = hrtime()
  ---@type claude_ide.Guard
  local guard = { began = now, typed = now, gives_way = gives_way == true }
  if next(guards) == nil then
    is_discarding = false
    vim.on_key(discard, discarder)
  end
  guards[guard] = true
  local function stop()
    guards[guard] = nil
    if next(guards) == nil then
      vim.on_key(nil, discarder)
    end
  end
  local function poll()
    local milliseconds = remaining(guard)
    if guards[guard] and milliseconds > 0 then
      vim.defer_fn(poll, math.ceil(milliseconds))
    elseif guards[guard] then
      stop()
      if fn then
        fn()
      end
    end
  end
  poll()
  return stop
end

return M
