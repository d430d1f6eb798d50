--- The Claude CLI in a terminal window: opened, hidden, shown again.
local M = {}

local SPLITS = {
  right = 'botright vsplit',
  left = 'topleft vsplit',
  above = 'topleft split',
  below = 'botright split',
}
local ARGUMENTS = {
  '--continue',
  '--resume',
  '--model',
  '--permission-mode',
  '--add-dir',
  '--append-system-prompt',
  '--mcp-config',
  '--settings',
  '--verbose',
}

local current ---@type integer? buffer of the terminal that `:Claude` shows

local function alive()
  return current ~= nil and vim.api.nvim_buf_is_valid(current)
end

---@return integer? window of this tabpage that shows the buffer
local function window_of(bufnr)
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.api.nvim_win_get_buf(window) == bufnr then
      return window
    end
  end
end

---@class claude_ide.TerminalRequest
---@field cmd string[]
---@field arguments string[]
---@field side 'right'|'left'|'above'|'below'
---@field size number share of the screen below 1, else columns or lines

---@param request claude_ide.TerminalRequest
local function open_window(request)
  local wide = request.side == 'right' or request.side == 'left'
  local whole = wide and vim.o.columns or vim.o.lines
  local size = request.size < 1 and math.floor(whole * request.size) or request.size
  vim.cmd(SPLITS[request.side])
  local window = vim.api.nvim_get_current_win()
  vim.api[wide and 'nvim_win_set_width' or 'nvim_win_set_height'](window, math.floor(size))
  return window
end

local function dress(window)
  local options = vim.wo[window][0]
  options.number, options.relativenumber, options.signcolumn = false, false, 'no'
  options.foldcolumn, options.spell, options.list = '0', false, false
end

local function on_exit(bufnr)
  return function(_, code)
    if current == bufnr then
      current = nil
    end
    if code == 0 and vim.api.nvim_buf_is_valid(bufnr) and vim.v.exiting == vim.NIL then
      -- The last window cannot be closed with its buffer; wiping leaves an empty one then.
      pcall(require('claude_ide.window.close').buffer, bufnr)
    end
  end
end

---@param request claude_ide.TerminalRequest
local function start(request)
  local name = request.cmd[1]
  local program = require('claude_ide.program').find(name)
  if not program then
    local hint = name == 'claude' and '; npm install -g @anthropic-ai/claude-code' or ''
    return { error = ('%s is not on PATH%s'):format(name, hint) }
  end
  local window = open_window(request)
  local bufnr = vim.api.nvim_create_buf(false, false)
  vim.api.nvim_win_set_buf(window, bufnr)
  vim.bo[bufnr].bufhidden = 'hide'
  local command = vim.list_extend(vim.list_slice(request.cmd), request.arguments)
  command[1] = program
  local ok, reason = pcall(vim.fn.jobstart, command, { term = true, on_exit = on_exit(bufnr) })
  if not ok then
    require('claude_ide.window.close').buffer(bufnr)
    return { error = ('cannot run %s: %s'):format(name, reason) }
  end
  -- The name that Neovim gives holds the whole command.
  vim.api.nvim_buf_set_name(bufnr, ('claude://%d'):format(bufnr))
  dress(window)
  current = bufnr
  vim.cmd.startinsert()
end

local function hide(window)
  if #vim.api.nvim_tabpage_list_wins(0) > 1 then
    require('claude_ide.window.close').window(window, false)
  else
    local alternate = vim.fn.bufnr('#')
    local bufnr = alternate > 0 and alternate or vim.api.nvim_create_buf(true, false)
    vim.api.nvim_win_set_buf(window, bufnr)
  end
end

--- Start the CLI, or hide or show the one that runs. With arguments a new one is started, and
--- is the one that is shown from then on.
---@param request claude_ide.TerminalRequest
---@return { error: string }?
function M.toggle(request)
  if not alive() or #request.arguments > 0 then
    return start(request)
  end
  local window = window_of(current)
  if window then
    hide(window)
    return
  end
  window = open_window(request)
  vim.api.nvim_win_set_buf(window, current)
  dress(window)
  vim.cmd.startinsert()
end

local function is_descendant(pid, ancestor)
  for _ = 1, 20 do
    if pid == ancestor then
      return true
    end
    local process = vim.api.nvim_get_proc(pid)
    if not process or process.ppid <= 1 then
      return false
    end
    pid = process.ppid
  end
  return false
end

--- Go to the terminal that a client runs in; to the one of `:Claude` when the pid is 0.
---@param pid integer
function M.focus(pid)
  local terminal = alive() and current or nil
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    local job = vim.b[bufnr].terminal_job_pid
    if pid > 0 and job and is_descendant(pid, job) then
      terminal = bufnr
    end
  end
  if not terminal then
    return { error = 'that Claude runs in no terminal of this Neovim' }
  end
  local window = window_of(terminal)
  if window then
    vim.api.nvim_set_current_win(window)
  else
    vim.cmd('botright vsplit')
    vim.api.nvim_win_set_buf(0, terminal)
    dress(vim.api.nvim_get_current_win())
  end
  vim.cmd.startinsert()
end

--- Complete the CLI's commonest options.
---@param lead string
---@return string[]
function M.complete(lead)
  return vim.tbl_filter(function(argument)
    return vim.startswith(argument, lead)
  end, ARGUMENTS)
end

return M
