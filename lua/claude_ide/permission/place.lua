--- Where the float with a permission is: in the corner of the screen that is away from the cursor.
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

local function rows_of(bufnr, width)
  return vim.iter(api.nvim_buf_get_lines(bufnr, 0, -1, false)):fold(0, function(rows, line)
    return rows + math.max(1, math.ceil(api.nvim_strwidth(line) / width))
  end)
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

-- The cursor of the user, unless they are in the float, which then stays where it is.
local function is_at_top(win)
  if win and api.nvim_get_current_win() == win then
    return api.nvim_win_get_position(win)[1] < vim.o.lines / 2 - api.nvim_win_get_height(win) / 2
  end
  return vim.fn.screenrow() > vim.o.lines / 2
end

--- The geometry of the float.
---@param bufnr integer its text
---@param is_entered boolean whether the user is in it: it then shows as much as possible
---@param win? integer if it is open
---@return claude_ide.FloatGeometry
function M.of(bufnr, is_entered, win)
  local above, below = margins()
  local most = math.max(1, vim.o.lines - above - below - BORDER)
  if not is_entered then
    most = math.max(1, math.min(most, math.floor(vim.o.lines * HIGHEST)))
  end
  local columns = math.max(1, vim.o.columns - BORDER)
  local width = math.min(widest(bufnr), columns)
  local height = math.min(rows_of(bufnr, width), most)
  return {
    relative = 'editor',
    row = is_at_top(win) and above or math.max(0, vim.o.lines - below - BORDER - height),
    col = columns - width,
    width = width,
    height = height,
  }
end

return M
