--- The user's way into a panel and out of it, including their mode.
local location = require('claude_ide.window.location')
local tiling = require('claude_ide.window.tiling')

local M = {}

local api = vim.api
local augroup = api.nvim_create_augroup('claude_ide_chat_window_focus', { clear = true })

--- Whether a window is one of the panel's.
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

-- Call `fn` once Neovim has noticed that another window is current and has left Terminal mode.
local function after_terminal(fn)
  local win = api.nvim_get_current_win()
  api.nvim_create_autocmd('TermLeave', {
    group = augroup,
    once = true,
    callback = vim.schedule_wrap(function()
      if api.nvim_get_current_win() == win then
        fn()
      end
    end),
  })
end

--- Enter the prompt, in Insert mode.
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

--- A window of the current tab page that is not the panel's.
---@param view claude_ide.ChatView
---@return integer? win
function M.other_window(view)
  return vim.iter(tiling.windows(0)):find(function(win)
    return not M.is_in(view, win)
  end)
end

--- Prepare to close the panel while the user is in it: if the window that they came from is gone, they
--- will return to another one.
---@param view claude_ide.ChatView
function M.prepare_leaving(view)
  location.cancel_insert()
  local win = not api.nvim_win_is_valid(view.destination.win) and M.other_window(view)
  if win then
    view.destination = { tabpage = api.nvim_get_current_tabpage(), win = win, terminal = false }
  end
end

--- Resume Insert mode if the user has returned to where they were inserting text.
---@param origin claude_ide.Location
---@param insert? integer[] the cursor there, if they were in Insert mode
function M.resume_insert(origin, insert)
  if insert and api.nvim_get_current_win() == origin.win then
    local row, column = unpack(insert)
    vim.cmd(column >= #vim.fn.getline(row) and 'startinsert!' or 'startinsert')
  end
end

return M
