--- Where the float with a permission is: in the corner of the user's window that is away from the cursor; in
--- that of the screen if the window is too small.
local float = require('claude_ide.window.float')

local M = {}

local api = vim.api

local WIDEST, NARROWEST = 78, 20
local BORDER = 2
local HIGHEST = 0.5 -- of the screen, until the user enters it

--- The columns for its text, without a blank on either side.
---@return integer
function M.width()
  return math.max(NARROWEST, math.min(WIDEST, vim.o.columns - BORDER - 2))
end

local function widest(bufnr)
  return vim.iter(api.nvim_buf_get_lines(bufnr, 0, -1, false)):fold(NARROWEST, function(most, line)
    return math.max(most, api.nvim_strwidth(line) + 1)
  end)
end

-- The rows above and below the windows: the tab line, the status line and the command line.
local function margins()
  local tabline = vim.o.showtabline
  local has_tabline = tabline == 2 or tabline == 1 and #api.nvim_list_tabpages() > 1
  return has_tabline and 1 or 0, vim.o.cmdheight + (vim.o.laststatus > 0 and 1 or 0)
end

---@class claude_ide.PermissionArea
---@field top integer the first row
---@field bottom integer the row after the last one
---@field right integer the column after the last one

-- The screen between those rows.
---@return claude_ide.PermissionArea
local function screen()
  local above, below = margins()
  return { top = above, bottom = vim.o.lines - below, right = vim.o.columns }
end

-- The user's window: another one may show the dialog of the CLI.
---@return claude_ide.PermissionArea
local function window()
  local row, column = unpack(api.nvim_win_get_position(0))
  local bottom, right = row + api.nvim_win_get_height(0), column + api.nvim_win_get_width(0)
  return { top = row, bottom = bottom, right = right }
end

local function has_room(width, height)
  return api.nvim_win_get_width(0) >= width + BORDER
    and api.nvim_win_get_height(0) >= height + BORDER
end

-- A float that the user is in stays where it is, as far as the screen allows.
local function around(win)
  local row, column = unpack(api.nvim_win_get_position(win))
  local height = api.nvim_win_get_height(win)
  local is_at_top = row + height / 2 < vim.o.lines / 2
  local right = math.min(column + api.nvim_win_get_width(win) + 1, vim.o.columns)
  return vim.tbl_extend('force', screen(), { right = right }), is_at_top
end

--- The geometry of the float.
---@param bufnr integer its text
---@param is_entered boolean whether the user is in it: it then shows as much as possible
---@param win? integer if it is open
---@return claude_ide.FloatGeometry
function M.of(bufnr, is_entered, win)
  local area = screen()
  local most = math.max(1, area.bottom - area.top - BORDER)
  if not is_entered then
    most = math.max(1, math.min(most, math.floor(vim.o.lines * HIGHEST)))
  end
  local width = math.min(widest(bufnr), math.max(1, area.right - BORDER))
  local height = math.min(float.rows(api.nvim_buf_get_lines(bufnr, 0, -1, false), width), most)
  local is_at_top = vim.fn.screenrow() > vim.o.lines / 2
  if is_entered and win then
    area, is_at_top = around(win)
  elseif not is_entered and has_room(width, height) then
    area = window()
    is_at_top = vim.fn.winline() > api.nvim_win_get_height(0) / 2
  end
  return {
    relative = 'editor',
    row = is_at_top and area.top or math.max(0, area.bottom - BORDER - height),
    col = math.max(0, area.right - BORDER - width),
    width = width,
    height = height,
  }
end

return M
