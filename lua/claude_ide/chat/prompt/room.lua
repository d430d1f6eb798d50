--- The room for the menu of completion if a plugin draws it: noice.nvim opens a float below the cursor, and
--- Neovim moves a float that does not fit there up, over the line that is being typed.
local M = {}

local api = vim.api

local POLL = 50 -- milliseconds
local TRIES = 20 -- after which the menu is Neovim's own
local LEAST = 4 -- rows; for fewer the prompt scrolls

local is_float = false -- whether a plugin draws the menu
local scrolled ---@type { win: integer, topline: integer }? a prompt that was scrolled for the menu

---@return integer[] wins
local function floats()
  return vim.tbl_filter(function(win)
    return api.nvim_win_get_config(win).relative ~= ''
  end, api.nvim_tabpage_list_wins(0))
end

local function cursor_row()
  local line, column = unpack(api.nvim_win_get_cursor(0))
  return vim.fn.screenpos(0, line, column + 1).row
end

local function is_over_the_line(win)
  local row = api.nvim_win_get_position(win)[1] + 1
  local height = api.nvim_win_get_height(win)
  return row <= cursor_row() and cursor_row() < row + height
end

local is_watching = false

-- The plugin may be busy.
local function look(before, tries, open_again)
  vim.defer_fn(function()
    -- Neovim itself opens a float, too: for the description of a selected item.
    local has_menu = vim.fn.pumvisible() == 1 and vim.fn.complete_info({ 'selected' }).selected < 0
    is_float = has_menu
      and vim.iter(floats()):any(function(win)
        return not vim.list_contains(before, win) and is_over_the_line(win)
      end)
    if has_menu and not is_float and tries > 1 then
      return look(before, tries - 1, open_again)
    end
    is_watching = false
    if is_float then
      open_again()
    end
  end, POLL)
end

--- Watch whether the menu that opens now covers the line.
---@param open_again fun() is called if it does
function M.watch(open_again)
  if not (is_float or is_watching) then
    is_watching = true
    look(floats(), TRIES, open_again)
  end
end

local function below()
  return vim.o.lines - vim.o.cmdheight - cursor_row()
end

local function scroll()
  scrolled = scrolled or { win = api.nvim_get_current_win(), topline = vim.fn.line('w0') }
  vim.fn.winrestview({ topline = api.nvim_win_get_cursor(0)[1] })
end

--- Scroll the prompt back once no menu is open.
function M.restore()
  vim.schedule(function()
    local was = vim.fn.pumvisible() == 0 and scrolled
    if was then
      scrolled = nil
      if api.nvim_win_is_valid(was.win) then
        api.nvim_win_call(was.win, function()
          vim.fn.winrestview({ topline = was.topline })
        end)
      end
    end
  end)
end

--- How many items the menu can have.
---@param most integer
---@return integer
function M.items(most)
  if not is_float then
    return most
  elseif below() < LEAST then
    scroll()
  end
  return math.max(1, math.min(most, below()))
end

return M
