--- The user's way into a panel and out of it, the mode they were in included.
local place = require('claude_ide.window.place')
local tiling = require('claude_ide.window.tiling')

local M = {}

local api = vim.api

---@param view claude_ide.ChatView
---@param win integer
---@return boolean
function M.is_in(view, win)
  return vim.list_contains(vim.tbl_values(view.windows), win)
end

local function start_insert()
  local column = api.nvim_win_get_cursor(0)[2]
  vim.cmd(column + 1 >= #api.nvim_get_current_line() and 'startinsert!' or 'startinsert')
end

-- Terminal mode ends, once it notices that the window is another.
local function after_terminal(fn)
  local win = api.nvim_get_current_win()
  api.nvim_create_autocmd('TermLeave', {
    once = true,
    callback = vim.schedule_wrap(function()
      if api.nvim_get_current_win() == win then
        fn()
      end
    end),
  })
end

--- Take the user into the prompt, in Insert mode.
---@param view claude_ide.ChatView
function M.enter_prompt(view)
  local mode = vim.fn.mode(1)
  if mode:find('^[vVsS\22\19]') then
    vim.cmd('normal! \27')
  end
  api.nvim_set_current_win(view.windows.prompt)
  if mode == 't' then
    after_terminal(start_insert)
  else
    start_insert()
  end
end

--- End the mode that the user is in, and call `fn`.
---@param fn fun()
function M.leave_mode(fn)
  local mode = vim.fn.mode(1)
  if mode:find('^[iR]') then
    api.nvim_create_autocmd('InsertLeave', { once = true, callback = vim.schedule_wrap(fn) })
    return vim.cmd.stopinsert()
  elseif mode:find('^n[iR]') then
    vim.cmd.stopinsert()
  elseif mode:find('^[vVsS\22\19]') then
    vim.cmd('normal! \27')
  end
  fn()
end

--- A window of the current tabpage that is not the panel's.
---@param view claude_ide.ChatView
---@return integer?
function M.other_window(view)
  return vim.iter(tiling.windows(0)):find(function(win)
    return not M.is_in(view, win)
  end)
end

--- Take the user back to where they were.
---@param view claude_ide.ChatView
function M.leave(view)
  place.cancel_insert()
  if api.nvim_win_is_valid(view.place.win) then
    place.go_back(view.place)
  else
    local win = M.other_window(view)
    if win then
      api.nvim_set_current_win(win)
    end
  end
end

--- Go on with Insert mode, if the user is where they were inserting text.
---@param origin { place: claude_ide.Place, insert?: integer[] }
function M.resume_insert(origin)
  if origin.insert and api.nvim_get_current_win() == origin.place.win then
    local row, column = unpack(origin.insert)
    vim.cmd(column >= #vim.fn.getline(row) and 'startinsert!' or 'startinsert')
  end
end

return M
