--- The size and the place of an answer's float: no larger than the text needs, and beside the lines that
--- the question is about if there is room.
local float = require('claude_ide.window.float')
local plain = require('claude_ide.messages.plain')

local M = {}

local api = vim.api

local WIDTH, HEIGHT = 0.7, 0.6 -- at most, of the screen
local WIDEST, NARROWEST, LOWEST = 110, 40, 3
local BORDER = 2

---@class claude_ide.AnswerFloat
---@field width integer wanted; it never shrinks
---@field height integer
---@field about? claude_ide.ScreenRows
---@field is_below boolean

---@class claude_ide.ScreenRows
---@field top integer from 1
---@field bottom integer

--- Where lines of the current window are on the screen.
---@param first integer
---@param last integer
---@return claude_ide.ScreenRows? rows nil if none of them is visible
function M.rows_of(first, last)
  first, last = math.max(first, vim.fn.line('w0')), math.min(last, vim.fn.line('w$'))
  if first > last then
    return nil
  end
  local top = vim.fn.screenpos(0, first, 1).row
  local bottom = vim.fn.screenpos(0, last, math.max(1, vim.fn.col({ last, '$' }) - 1)).row
  return top > 0 and { top = top, bottom = math.max(top, bottom) } or nil
end

local function screen_lines()
  return vim.o.lines - vim.o.cmdheight
end

---@param about? claude_ide.ScreenRows the lines that the float should not cover
---@return claude_ide.AnswerFloat
function M.new(about)
  local is_below = about ~= nil and screen_lines() - about.bottom >= about.top - 1
  return { width = NARROWEST, height = LOWEST, about = about, is_below = is_below }
end

---@param wanted claude_ide.AnswerFloat
---@param title string
---@return vim.api.keyset.win_config
function M.geometry(wanted, title)
  local place = float.centred(wanted.width, wanted.height)
  local about, needed = wanted.about, place.height + BORDER
  if about and wanted.is_below then
    place.row = math.max(0, math.min(about.bottom, screen_lines() - needed))
  elseif about then
    place.row = math.max(0, about.top - 1 - needed)
  end
  local shown = vim.fn.strcharpart(plain.one_line(title), 0, math.max(0, place.width - 4))
  return vim.tbl_extend('error', place, { title = (' %s '):format(shown), title_pos = 'left' })
end

---@param win integer
---@return integer rows that the text needs in the window's present width
local function text_rows(win, most)
  local count = api.nvim_buf_line_count(api.nvim_win_get_buf(win))
  return count >= most and most or api.nvim_win_text_height(win, {}).all
end

--- Let the float grow until it shows these lines, or is as large as it may be.
---@param wanted claude_ide.AnswerFloat
---@param win integer
---@param title string
---@param lines string[] that are new
function M.grow(wanted, win, title, lines)
  local widest = math.min(WIDEST, math.max(NARROWEST, math.floor(vim.o.columns * WIDTH)))
  local highest = math.max(LOWEST, math.floor(screen_lines() * HEIGHT))
  local width = wanted.width
  if width < widest then
    wanted.width = math.max(width, math.min(widest, float.widest(lines)))
  end
  if wanted.width ~= width then
    api.nvim_win_set_config(win, M.geometry(wanted, title))
  end
  local height = wanted.height
  if height < highest then
    wanted.height = math.max(height, math.min(highest, text_rows(win, highest)))
  end
  if wanted.height ~= height then
    api.nvim_win_set_config(win, M.geometry(wanted, title))
  end
end

return M
