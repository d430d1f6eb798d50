--- Wraps `vim.ui`: the prompt fits one line, keys typed blindly do not answer, and there is exactly one
--- answer, whatever the UI does.
local location = require('claude_ide.window.location')
local message = require('claude_ide.messages.message')
local moment = require('claude_ide.timing.moment')
local plain = require('claude_ide.messages.plain')

local M = {}

local POLL = 250 -- milliseconds
local ROOM_TO_TYPE = 20 -- columns
local MOST_ROWS = 10 -- of one item
local PICKER_WIDTH = 60 -- columns

local function nothing() end

-- Some UIs do not call back when they are dismissed, but their windows close. Their absence has to
-- be seen twice, because the answer may come after the window has closed.
local function watch(known, is_answered, dismiss)
  local was_seen, misses = false, 0
  local function poll()
    local is_open = vim.iter(vim.api.nvim_list_wins()):any(function(win)
      return not vim.list_contains(known, win)
    end)
    was_seen, misses = was_seen or is_open, is_open and 0 or misses + 1
    if is_answered() or misses == 2 and not was_seen then
      return
    elseif misses == 2 then
      return dismiss()
    end
    vim.defer_fn(poll, POLL)
  end
  poll()
end

-- Neovim's own `vim.ui` asks in the command line.
local function asks_in_command_line(ui)
  return type(ui) == 'function' and vim.endswith(debug.getinfo(ui, 'S').source, '/lua/vim/ui.lua')
end

-- Call `ask`, which calls `ui`, with a function that passes only its first call on to `callback`. With
-- `is_guarded`, keys typed before the user has noticed the question are discarded.
local function once(ui, ask, callback, is_guarded)
  local is_answered, stop_guard = false, nothing
  local function answer(...)
    if not is_answered then
      is_answered = true
      stop_guard()
      callback(...)
    end
  end
  local known, height = vim.api.nvim_list_wins(), vim.o.cmdheight
  -- With 'cmdheight' 0 Neovim omits the first line of a list, which is the question, and clearing the screen
  -- afterwards would cause a prompt. Another UI needs no command line, and returns at once: two changes of
  -- 'cmdheight' in a row would move the text in terminals, whose programs would draw at the old places.
  local needs_line = height == 0 and asks_in_command_line(ui)
  vim.o.cmdheight = needs_line and 1 or height
  -- A list in the command line blocks; what the question is about must be on the screen.
  vim.cmd.redraw()
  stop_guard = is_guarded and moment.guard() or nothing
  local ok, err = pcall(ask, answer)
  -- Clear the question. After CTRL-C in a list it would cause a prompt.
  vim.cmd.redraw()
  vim.api.nvim_echo({ { '' } }, false, {})
  -- Before Insert mode resumes, Neovim would wait for 3 seconds, for the user to read the line.
  vim.cmd.redraw()
  if needs_line then
    vim.o.cmdheight = height
  end
  if not ok then
    if not tostring(err):find('Keyboard interrupt', 1, true) then
      message.show(tostring(err), 'error')
    end
    answer(nil)
  end
  if is_guarded then
    -- Another UI has windows of its own, which are drawn now.
    vim.schedule(function()
      stop_guard = not is_answered and moment.guard() or nothing
    end)
  end
  watch(known, function()
    return is_answered
  end, answer)
end

-- The mode of the UI may still be ending, or the user may have gone elsewhere.
local function resume(here)
  local is_inserting = here.terminal or here.insert ~= nil
  if is_inserting and vim.api.nvim_get_current_win() == here.win then
    location.leave_mode(function()
      location.go_back(here)
    end)
  end
end

--- Call `ask` in Normal mode, with a function that resumes the user's mode afterwards. In Terminal mode, the
--- Insert mode of a UI would end at once, and the first keys would be commands.
---@param ask fun(answered: fun())
---@param back? claude_ide.Location where the user has just been taken back to: its mode may not have begun
function M.from_here(ask, back)
  local is_back = back ~= nil and back.win == vim.api.nvim_get_current_win()
  local here = is_back and back or location.current() --[[@as claude_ide.Location]]
  location.cancel_insert()
  location.leave_mode(function()
    ask(vim.schedule_wrap(function()
      resume(here)
    end))
  end)
end

--- Ask for a line of text.
---@param prompt string
---@param default string
---@param callback fun(text: string?) called once; nil if it is dismissed
---@param is_late? boolean whether it does not follow the user's key immediately: what they type just then
---  is for something else
function M.input(prompt, default, callback, is_late)
  local width = math.max(1, vim.o.columns - ROOM_TO_TYPE)
  once(vim.ui.input, function(answer)
    vim.ui.input({
      prompt = plain.fit(prompt, width),
      default = plain.one_line(default),
    }, answer)
  end, function(text)
    callback(type(text) == 'string' and text or nil)
  end, is_late)
end

-- A text in rows that are not too wide, which end with a blank or a slash in their second half, if there is
-- one. From a text that needs too many, the middle is cut out.
local function wrapped(text, width)
  local rows = {}
  text = plain.shorten(text, width * MOST_ROWS)
  while vim.api.nvim_strwidth(text) > width do
    local row = plain.cut(text, width)
    local last = row:match('.*()[ /]') or 0
    row = last > #row / 2 and row:sub(1, last) or row
    rows[#rows + 1], text = row, text:sub(#row + 1)
  end
  rows[#rows + 1] = text
  return rows
end

--- Ask for one of several texts.
---@param prompt string
---@param items string[]
---@param callback fun(index: integer?) called once with the index from 1; nil if it is dismissed
---@param is_whole? boolean whether an item that is too wide goes on in further rows, which mean the same
function M.select(prompt, items, callback, is_whole)
  -- Neovim puts a number before each item. A picker does not say how wide it is.
  local width = math.max(2, vim.o.columns - #tostring(#items) - 4)
  local picker_width = math.max(2, math.min(width, PICKER_WIDTH, math.floor(vim.o.columns / 2)))
  local row_width = asks_in_command_line(vim.ui.select) and width or picker_width
  local rows, indices = {}, {}
  for index, item in ipairs(items) do
    for _, row in ipairs(is_whole and wrapped(item, row_width) or { plain.fit(item, width) }) do
      rows[#rows + 1], indices[#indices + 1] = row, index
    end
  end
  once(vim.ui.select, function(answer)
    vim.ui.select(rows, { prompt = plain.fit(prompt, width) }, answer)
  end, function(item, index)
    callback(item ~= nil and indices[index or vim.fn.index(rows, item) + 1] or nil)
  end, true)
end

return M
