--- Where the user is: the window, the tab page and the mode; and the way back there. Also where the processes
--- of clients belong.
local autocommands = require('claude_ide.messages.autocommands')
local message = require('claude_ide.messages.message')
local without_events = require('claude_ide.messages.without_events')

local M = {}

local api = vim.api
local on = autocommands.group('claude_ide_window_location')

---@class claude_ide.Location
---@field tabpage integer
---@field win integer
---@field previous_win? integer the target of `CTRL-W p`
---@field last_tabpage? integer the target of `g<Tab>`
---@field terminal boolean whether the user is in Terminal mode
---@field insert? claude_ide.InsertCursor set if `end_insert` has just ended Insert mode

---@class claude_ide.InsertCursor
---@field win integer
---@field tick integer 'changedtick' of the buffer
---@field row integer from 1
---@field column integer bytes, from 0

local ended ---@type claude_ide.InsertCursor?

--- End Insert mode before taking the user elsewhere; `go_back` resumes it.
function M.end_insert()
  local row, column = unpack(api.nvim_win_get_cursor(0))
  local win = api.nvim_get_current_win()
  ended = { win = win, tick = vim.b.changedtick, row = row, column = column }
  vim.cmd.stopinsert()
  autocommands.group('claude_ide_location')('InsertEnter', nil, function()
    ended = nil
  end, { once = true })
end

--- Cancel a pending `startinsert`. It would otherwise begin in whichever window the user is in next.
function M.cancel_insert()
  if vim.fn.mode(1):find('^n') then
    vim.cmd.stopinsert()
    message.draw_again()
  end
end

-- The cursor that `end_insert` has recorded, once. Nil if the user has moved since then: they want
-- to be in Normal mode.
local function consume_insert()
  local found = ended
  ended = nil
  if found and found.win == api.nvim_get_current_win() and found.tick == vim.b.changedtick then
    local row, column = unpack(api.nvim_win_get_cursor(0))
    local typed = api.nvim_get_current_line():sub(column + 1, found.column)
    return row == found.row and vim.fn.strchars(typed) <= 1 and found or nil
  end
end

local function last_tabpage()
  return api.nvim_list_tabpages()[vim.fn.tabpagenr('#')]
end

local function previous_win()
  local number = vim.fn.winnr('#')
  return number > 0 and vim.fn.win_getid(number) or nil
end

--- Where the user is now.
---@return claude_ide.Location
function M.current()
  return {
    tabpage = api.nvim_get_current_tabpage(),
    win = api.nvim_get_current_win(),
    previous_win = previous_win(),
    last_tabpage = last_tabpage(),
    terminal = vim.fn.mode() == 't',
    insert = consume_insert(),
  }
end

-- The targets of `CTRL-W p` and `g<Tab>` can only be set by going there.
local function restore_history(target)
  local tabpage, win = target.last_tabpage, target.previous_win
  without_events.run('all', function()
    if tabpage and tabpage ~= last_tabpage() and api.nvim_tabpage_is_valid(tabpage) then
      api.nvim_set_current_tabpage(tabpage)
      api.nvim_set_current_tabpage(target.tabpage)
    end
    if win and win ~= previous_win() and api.nvim_win_is_valid(win) then
      api.nvim_set_current_win(win)
      api.nvim_set_current_win(target.win)
    end
  end)
end

--- Call `fn`, which takes the user elsewhere. If they leave a float with Claude's terminal, the
--- events for leaving it do not run: some plugins close such a float on them, but the user will come
--- back to it.
---@generic T
---@param fn fun(): T
---@return T
function M.leave(fn)
  local is_float = api.nvim_win_get_config(0).relative ~= ''
  if not (is_float and vim.b.claude_ide_terminal) then
    return fn()
  end
  return without_events.run({ 'BufLeave', 'WinLeave' }, fn)
end

local is_resuming = false

-- The mode begins once all callbacks that are due have run, one of which may take the user elsewhere.
local function resume_mode(command)
  is_resuming = true
  local on_mode, group = autocommands.group('claude_ide_location_resuming')
  on_mode({ 'InsertEnter', 'TermEnter', 'SafeState' }, nil, function()
    is_resuming = false
    api.nvim_clear_autocmds({ group = group })
  end)
  vim.cmd(command)
end

--- Whether the mode that `go_back` resumes has not begun yet.
---@return boolean
function M.is_resuming()
  return is_resuming
end

-- The recorded column is meaningless once the text has changed.
local function resume_insert(insert)
  if vim.b.changedtick == insert.tick then
    api.nvim_win_set_cursor(0, { insert.row, insert.column })
  end
  local column = api.nvim_win_get_cursor(0)[2]
  local is_at_end = math.max(column, insert.column) >= #api.nvim_get_current_line()
  resume_mode(is_at_end and 'startinsert!' or 'startinsert')
end

--- Call `fn`, which takes the user elsewhere, and go back without any event. Their mode continues.
---@generic T
---@param target claude_ide.Location where the user is
---@param fn fun(): T
---@return T
function M.stay(target, fn)
  return without_events.run('all', function()
    local result = fn()
    if api.nvim_win_is_valid(target.win) then
      api.nvim_set_current_win(target.win)
      restore_history(target)
    end
    return result
  end)
end

--- Take the user back, and resume Insert or Terminal mode if they were in it. If the window is gone,
--- go to its tab page.
---@param target claude_ide.Location
function M.go_back(target)
  if api.nvim_win_is_valid(target.win) then
    api.nvim_set_current_win(target.win)
    restore_history(target)
    if target.terminal and vim.bo.buftype == 'terminal' then
      resume_mode('startinsert')
    elseif target.insert and vim.fn.mode() == 'n' then
      resume_insert(target.insert)
    end
  elseif api.nvim_tabpage_is_valid(target.tabpage) then
    api.nvim_set_current_tabpage(target.tabpage)
  end
end

--- End the user's mode, then call `fn` in Normal mode.
---@param fn fun()
function M.leave_mode(fn)
  local mode = vim.fn.mode(1)
  local event = mode:find('^[iR]') and 'InsertLeave' or mode == 't' and 'TermLeave'
  if event then
    on(event, nil, vim.schedule_wrap(fn), { once = true })
    return vim.cmd.stopinsert()
  elseif mode:find('^n[iR]') then
    vim.cmd.stopinsert()
  elseif mode:find('^[vVsS\22\19]') then
    vim.cmd('normal! \27')
  end
  fn()
end

local opened = 0 -- windows from which the user returns

--- Take the user back if they close a window while they are in it. Neovim itself would choose a neighbouring
--- window, but never the quickfix window.
---@type fun(win: integer, target: claude_ide.Location)
function M.return_on_close(win, target)
  opened = opened + 1
  on('WinClosed', tostring(win), function()
    local is_here, before = api.nvim_get_current_win() == win, opened
    vim.schedule(function()
      -- Typed keys come first, and may have opened another one.
      if is_here and opened == before then
        M.go_back(target)
      end
    end)
  end, { once = true })
end

--- The launch of the terminal in which a process runs; nil if that is none of ours.
---@type fun(pid: integer): string?
function M.launch_of(pid)
  local launch = vim.fn['claude_ide#terminals#Home'](pid)[2]
  return launch ~= '' and launch or nil
end

--- Call `open` in the tab page to which a process belongs. What it opens takes the user back to where they
--- are now; if it does not move them, they are back at once.
---@generic T: claude_ide.Visit
---@param pid? integer nil if it is unknown
---@param open fun(): T
---@return T
function M.visit(pid, open)
  local tabpage = pid and api.nvim_list_tabpages()[vim.fn['claude_ide#terminals#Home'](pid)[1]]
  local is_elsewhere = tabpage and tabpage ~= api.nvim_get_current_tabpage()
  if not (is_elsewhere and api.nvim_tabpage_is_valid(tabpage)) then
    return open()
  end
  local origin = M.current()
  api.nvim_set_current_tabpage(tabpage)
  local win = api.nvim_get_current_win()
  local ok, visit = pcall(open)
  if not ok or api.nvim_get_current_win() == win then
    M.go_back(origin)
  end
  if not ok then
    error(visit, 0)
  end
  visit.destination, visit.origin = origin, origin
  return visit
end

return M
