--- The moment at which something may appear, or go, without taking anything from the user.
local place = require('claude_ide.place')

local M = {}

-- Milliseconds.
local POLL = 50
local QUIET = 400
local GUARD = 200
local LONGEST_GUARD = 1000

local tracker = vim.api.nvim_create_namespace('claude_ide_moment_tracker')
local guard = vim.api.nvim_create_namespace('claude_ide_moment_guard')
local trackers = {} ---@type table<string, true>
local is_guarding = false
local hrtime = vim.uv.hrtime
local last_typed = 0 -- nanoseconds

local function milliseconds_since(time)
  return (hrtime() - time) / 1e6
end

--- Remember when the user types, so that nothing appears under their fingers.
---@param who string on whose behalf
---@param on boolean
function M.track(who, on)
  local was_tracking = next(trackers) ~= nil
  trackers[who] = on or nil
  local is_tracking = next(trackers) ~= nil
  if is_tracking == was_tracking then
    return
  end
  last_typed = 0
  vim.on_key(is_tracking and function(_, typed)
    if typed ~= '' then
      last_typed = hrtime()
    end
  end or nil, tracker)
end

-- A plugin's float (a picker, a prompt, a hover) goes away when the focus leaves it; one that holds
-- a file, a terminal or a chat is a window like any other.
local function is_in_dialog()
  local options = vim.bo
  return vim.api.nvim_win_get_config(0).relative ~= ''
    and not (options.buftype == '' or options.buftype == 'terminal')
    and not (options.filetype == 'claude-prompt' or options.filetype == 'claude-chat')
end

-- Not "s", a screen that messages have scrolled: without a command line it stays so until the next
-- redraw, and where something is asked the mode tells.
local function is_at_rest()
  local mode = vim.fn.mode(1)
  return mode == 't' or ((mode == 'n' or mode == 'nt') and vim.fn.state('moaxSc') == '')
end

-- A chat's prompt in which nothing has been typed yet: who has just sent something waits there.
local function is_before_typing()
  return vim.fn.mode(1) == 'i'
    and vim.bo.filetype == 'claude-prompt'
    and vim.api.nvim_buf_line_count(0) == 1
    and vim.api.nvim_get_current_line() == ''
end

local function is_free()
  return (is_at_rest() or is_before_typing())
    and not is_guarding
    and milliseconds_since(last_typed) >= QUIET
    and vim.fn.reg_recording() == ''
    and not is_in_dialog()
end

-- Windows elsewhere may change in all modes but those whose next key acts on what is shown.
local function is_harmless()
  local mode = vim.fn.mode(1)
  return mode:find('^[nit]') ~= nil and not vim.startswith(mode, 'no')
end

--- Whether Neovim lets anybody change text and windows: not under textlock, nor in the command-line
--- window. Both are found before the arguments are looked at.
---@return boolean
function M.is_possible()
  local _, refusal = pcall(vim.api.nvim_set_current_win, -1)
  return refusal:find('Invalid window') ~= nil
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

-- Never before it has returned.
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

--- Call `fn` as soon as Neovim lets windows change at all: what the user has asked for.
---@param fn fun()
---@param on_error fun(message: string) called instead when `fn` raises
function M.when_possible(fn, on_error)
  when(M.is_possible, fn, on_error)
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
