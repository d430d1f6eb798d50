--- Where the user is, and the way back there.
local M = {}

---@class claude_ide.Place
---@field tabpage integer
---@field win integer
---@field previous_win? integer what `CTRL-W p` would go to
---@field last_tabpage? integer what `g<Tab>` would go to
---@field terminal boolean whether the user types into a terminal

local function previous_win()
  local number = vim.fn.winnr('#')
  return number > 0 and vim.fn.win_getid(number) or nil
end

local function last_tabpage()
  return vim.api.nvim_list_tabpages()[vim.fn.tabpagenr('#')]
end

---@return claude_ide.Place
function M.current()
  return {
    tabpage = vim.api.nvim_get_current_tabpage(),
    win = vim.api.nvim_get_current_win(),
    previous_win = previous_win(),
    last_tabpage = last_tabpage(),
    terminal = vim.fn.mode() == 't',
  }
end

local function without_events(fn)
  local eventignore = vim.o.eventignore
  vim.o.eventignore = 'all'
  local ok, err = pcall(fn)
  vim.o.eventignore = eventignore
  if not ok then
    error(err, 0)
  end
end

-- The only way to set what `CTRL-W p` and `g<Tab>` go to is to have been there.
local function restore_history(place)
  local tabpage, win = place.last_tabpage, place.previous_win
  without_events(function()
    if tabpage and tabpage ~= last_tabpage() and vim.api.nvim_tabpage_is_valid(tabpage) then
      vim.api.nvim_set_current_tabpage(tabpage)
      vim.api.nvim_set_current_tabpage(place.tabpage)
    end
    if win and win ~= previous_win() and vim.api.nvim_win_is_valid(win) then
      vim.api.nvim_set_current_win(win)
      vim.api.nvim_set_current_win(place.win)
    end
  end)
end

--- Take the user elsewhere by calling `fn`. Claude's terminal does not notice if it is a float: some
--- close themselves when they are left, and this one is to be there afterwards.
---@generic T
---@param fn fun(): T
---@return T
function M.leave(fn)
  local is_float = vim.api.nvim_win_get_config(0).relative ~= ''
  if not (is_float and vim.b.claude_ide_terminal) then
    return fn()
  end
  local eventignore = vim.o.eventignore
  vim.opt.eventignore:append({ 'BufLeave', 'WinLeave' })
  local ok, result = pcall(fn)
  vim.o.eventignore = eventignore
  if not ok then
    error(result, 0)
  end
  return result
end

--- Go back, and into Terminal mode if that is what it was.
---@param place claude_ide.Place
function M.go_back(place)
  if vim.api.nvim_win_is_valid(place.win) then
    vim.api.nvim_set_current_win(place.win)
    restore_history(place)
    if place.terminal and vim.bo.buftype == 'terminal' then
      vim.cmd.startinsert()
    end
  elseif vim.api.nvim_tabpage_is_valid(place.tabpage) then
    vim.api.nvim_set_current_tabpage(place.tabpage)
  end
end

return M
