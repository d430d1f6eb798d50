--- The moment at which something may appear, or go, without taking anything from the user:
---
--- | gate              | for what                                | waits for the end of                  |
--- | ----------------- | --------------------------------------- | ------------------------------------- |
--- | `when_free`       | takes the user elsewhere                | `obstacle`, and typing                |
--- | `when_notifiable` | is a message                            | prompts, and half-typed commands      |
--- | `when_harmless`   | changes windows that they are not in    | modes whose next key acts on a window |
--- | `when_ended`      | closes windows that they may be in      | Insert and Visual mode: it ends them  |
--- | `when_unprompted` | was asked for, and takes them elsewhere | prompts, and a pending operator       |
--- | `when_possible`   | was asked for by the user               | nothing else                          |
---
--- Each gate also waits for the end of textlock and of the command-line window. All but
--- `when_unprompted` call back later even if nothing is in the way: the caller may be inside an
--- autocommand. `guard` is for afterwards: what was typed blindly is discarded.
local place = require('claude_ide.window.place')

local M = {}

local api = vim.api

-- Milliseconds.
local POLL = 50
local QUIET = 400
local GUARD = 200
local LONGEST_GUARD = 1000

-- What the user can do about a mode; each pattern is matched with `mode(1)`.
local MODES = {
  { '^n?i', 'leave Insert mode' },
  { '^R', 'leave Replace mode' },
  { '^[vV\22]', 'leave Visual mode' },
  { '^[sS\19]', 'leave Select mode' },
  { '^[cr!]', 'answer the prompt' },
}
-- By filetype: Neovim's own windows for messages (`vim._core.ui2`) that take the next key.
local MESSAGES = { cmd = true, dialog = true }
local MOST_FLOATS = 10 -- each relative to the next

local tracker = api.nvim_create_namespace('claude_ide_moment_tracker')
local guard = api.nvim_create_namespace('claude_ide_moment_guard')
local is_guarding = false
local hrtime = vim.uv.hrtime
local last_typed = 0 -- nanoseconds
local claudes_area ---@type any[]? the Visual area that Claude has selected

local function milliseconds_since(time)
  return (hrtime() - time) / 1e6
end

--- Remember when the user types, so that nothing appears under their fingers. It has to be known
--- before anything waits.
---@param on boolean
function M.notice_typing(on)
  last_typed = 0
  vim.on_key(on and function(_, typed)
    if typed ~= '' then
      last_typed = hrtime()
    end
  end or nil, tracker)
end

-- A sidebar made of floats covers a window that was split off for it. It stays when the focus leaves.
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

-- In Claude's terminal or a chat the user waits for what Claude proposes.
local function is_claudes()
  local filetype = vim.bo.filetype
  return vim.b.claude_ide_terminal or filetype == 'claude-prompt' or filetype == 'claude-chat'
end

-- A plugin's float (a picker, a prompt, a tool in a terminal) goes away when the focus leaves it; one
-- that holds a file or a chat is a window like any other.
local function is_in_dialog()
  local config = api.nvim_win_get_config(0)
  return config.relative ~= ''
    and vim.bo.buftype ~= ''
    and not is_claudes()
    and not is_sidebar(config)
end

-- Where and what the Visual area of the current window is.
local function visual_area()
  local where = { api.nvim_get_current_win(), api.nvim_get_current_buf(), vim.fn.mode(1) }
  return vim.list_extend(where, { vim.fn.getpos('v'), vim.fn.getpos('.') })
end

--- The Visual area that has just been selected is Claude's: it holds nothing back until the user
--- changes it.
function M.claim_visual()
  claudes_area = visual_area()
end

--- Whether Neovim is in a Visual mode that the user has not begun.
---@return boolean
function M.is_claudes_visual()
  return claudes_area ~= nil
    and vim.fn.mode(1):find('^[vV\22]$') ~= nil
    and vim.deep_equal(claudes_area, visual_area())
end

-- Not "s", a screen that messages have scrolled: without a command line it stays so until the next
-- redraw, and where something is asked the mode tells.
local function is_at_rest()
  local mode = vim.fn.mode(1)
  local is_normal = mode == 'n' or mode == 'nt' or M.is_claudes_visual()
  return mode == 't' or (is_normal and vim.fn.state('moaxSc') == '')
end

-- A chat's prompt in which nothing has been typed yet: who has just sent something waits there. A
-- completion that has found nothing leaves Neovim in mode "ic".
local function is_before_typing()
  local mode = vim.fn.mode(1)
  return (mode == 'i' or mode == 'ic')
    and vim.fn.pumvisible() == 0
    and vim.bo.filetype == 'claude-prompt'
    and api.nvim_buf_line_count(0) == 1
    and api.nvim_get_current_line() == ''
end

local function is_message(win)
  local config = api.nvim_win_get_config(win)
  local filetype = vim.bo[api.nvim_win_get_buf(win)].filetype
  return config.relative == 'laststatus'
    and not config.hide
    and MESSAGES[filetype] ~= nil
    and (filetype ~= 'cmd' or config.height > math.max(vim.o.cmdheight, 1))
end

local function has_message()
  return vim.iter(api.nvim_tabpage_list_wins(0)):any(is_message)
end

local function way_out_of_mode()
  local mode = vim.fn.mode(1)
  for _, way in ipairs(MODES) do
    if mode:find(way[1]) then
      return way[2]
    end
  end
  return 'finish the command'
end

--- What the user can do so that things may appear, such as "leave Insert mode"; nil where nothing but
--- typing holds them back.
---@return string? remedy
function M.obstacle()
  if is_in_dialog() then
    return 'leave this window'
  elseif not (is_at_rest() or is_before_typing()) then
    return way_out_of_mode()
  elseif vim.fn.getcmdwintype() ~= '' then
    return 'close the command-line window'
  elseif vim.fn.reg_recording() ~= '' then
    return 'stop recording'
  elseif has_message() then
    return 'close the message'
  end
end

--- Whether a message would neither be overwritten at once nor take a key: not at a prompt, nor in a
--- half-typed command.
---@return boolean
function M.can_notify()
  local mode = vim.fn.mode(1)
  -- In a terminal "S" is always there.
  return mode:find('^[niRvVsS\22\19t]') ~= nil
    and not vim.startswith(mode, 'no')
    and vim.fn.state(mode == 't' and 'moaxc' or 'moaxSc') == ''
    and M.is_possible()
    and not has_message()
end

local function is_free()
  return not is_guarding and milliseconds_since(last_typed) >= QUIET and M.obstacle() == nil
end

-- Windows elsewhere may change in all modes but those whose next key acts on what is shown.
local function is_harmless()
  local mode = vim.fn.mode(1)
  return mode:find('^[nit]') ~= nil and not vim.startswith(mode, 'no') or M.is_claudes_visual()
end

--- Whether Neovim lets anybody change text and windows: not under textlock, nor in the command-line
--- window. Both are found before the arguments are looked at.
---@return boolean
function M.is_possible()
  local _, refusal = pcall(api.nvim_set_current_win, -1)
  return tostring(refusal):find('Invalid window') ~= nil
end

local function end_mode()
  local mode = vim.fn.mode(1)
  if mode:find('^n?[iR]') then
    place.end_insert()
    return false
  elseif mode:find('^[vVsS\22\19]') then
    vim.cmd('normal! \27')
  end
  return true
end

local function when(condition, fn, on_error)
  local is_cancelled = false
  local function poll()
    if is_cancelled then
      return
    elseif not (condition() and M.is_possible()) then
      return vim.defer_fn(poll, POLL)
    end
    local ok, err = pcall(fn)
    if not ok then
      on_error(tostring(err))
    end
  end
  vim.schedule(poll)
  return function()
    is_cancelled = true
  end
end

--- Call `fn` at the first moment at which the user can be taken elsewhere: nothing half-typed, no
--- prompt, no command-line window, no key for a while.
---@param fn fun()
---@param on_error fun(message: string) called instead when `fn` raises
---@return fun() cancel
function M.when_free(fn, on_error)
  return when(function()
    -- Where keys would insert, nothing can appear that takes them for commands.
    return is_free() and end_mode()
  end, fn, on_error)
end

--- Call `fn` as soon as windows that the user is not in may change.
---@param fn fun()
---@param on_error fun(message: string) called instead when `fn` raises
function M.when_harmless(fn, on_error)
  when(is_harmless, fn, on_error)
end

local function is_unprompted()
  local mode = vim.fn.mode(1)
  return not mode:find('^[cr!]') and not mode:find('^no') and M.is_possible()
end

--- Call `fn`, which the user has asked for: at once, unless they are at a prompt or in the middle of
--- a command, whose text the next window would lose.
---@param fn fun() its errors are the caller's, or shown by Neovim
function M.when_unprompted(fn)
  if is_unprompted() then
    return fn()
  end
  vim.defer_fn(function()
    M.when_unprompted(fn)
  end, POLL)
end

--- Call `fn` as soon as Neovim lets windows change at all: what the user has asked for.
---@param fn fun()
---@param on_error fun(message: string) called instead when `fn` raises
function M.when_possible(fn, on_error)
  when(M.is_possible, fn, on_error)
end

--- Call `fn` as soon as a message can be shown (`can_notify`).
---@param fn fun()
function M.when_notifiable(fn)
  when(M.can_notify, fn, error)
end

--- Call `fn` as soon as the user is out of a mode that the windows which `fn` closes would take
--- elsewhere with them; this ends it.
---@param fn fun()
---@param on_error fun(message: string) called instead when `fn` raises
function M.when_ended(fn, on_error)
  when(end_mode, fn, on_error)
end

--- Discard what is typed blindly into something that has just appeared, and call `fn` once the
--- user can have noticed it: when they pause, and in any case after a second.
---@param fn fun()
function M.guard(fn)
  -- A large diff takes longer to draw than the guard lasts, and is noticed only then.
  vim.cmd.redraw()
  local began = hrtime()
  local typed = began
  local function remaining()
    return math.min(GUARD - milliseconds_since(typed), LONGEST_GUARD - milliseconds_since(began))
  end
  is_guarding = true
  vim.on_key(function()
    -- At a prompt no timer would end this, and the user could not get out of the prompt.
    if remaining() > 0 then
      typed = hrtime()
      return ''
    end
  end, guard)
  local function poll()
    local left = remaining()
    if left > 0 then
      return vim.defer_fn(poll, math.ceil(left))
    end
    vim.on_key(nil, guard)
    is_guarding = false
    fn()
  end
  poll()
end

return M
