--- A pane of the user's tmux in which a CLI runs, which the host has opened (`hooks/panes.py`): hidden in a
--- tmux window of its own, shown again.
local program = require('claude_ide.system.program')

local M = {}

local TIMEOUT_MS = 5000

---@class claude_ide.Pane
---@field id string tmux's, such as `%3`
---@field pid integer of the shell in it

local function run(...)
  local path = program.find('tmux') or 'tmux'
  local done = vim.system({ path, ... }, { text = true }):wait(TIMEOUT_MS)
  if done.code ~= 0 then
    error(('tmux: %s'):format(vim.trim(done.stderr or '')), 0)
  end
  return vim.trim(done.stdout)
end

--- Whether its CLI runs, or the pane still shows why it does not.
---@param pane claude_ide.Pane
---@return boolean
function M.is_alive(pane)
  return vim.uv.kill(pane.pid, 0) == 0
end

local function ask(id, what)
  return run('display-message', '-p', '-t', id, what)
end

--- Whether tmux still has it. Its process may outlive it for a moment.
---@param pane claude_ide.Pane
---@return boolean
function M.exists(pane)
  local ok, pid = pcall(ask, pane.id, '#{pane_pid}')
  -- Without the pane, older versions of tmux print an empty text.
  return ok and tonumber(pid) == pane.pid
end

--- Whether it is in the tmux window of this Neovim.
---@param pane claude_ide.Pane
---@return boolean
function M.is_shown(pane)
  return ask(pane.id, '#{window_id}') == ask(vim.env.TMUX_PANE, '#{window_id}')
end

--- Move it to a tmux window of its own, in the background.
---@param pane claude_ide.Pane
function M.hide(pane)
  run('break-pane', '-d', '-s', pane.id, '-n', 'Claude')
end

--- Go there. If it is in another tmux window, bring it here first.
---@param pane claude_ide.Pane
---@param size number below 1 a share of the window, else columns
function M.focus(pane, size)
  if not M.is_shown(pane) then
    local length = size < 1 and ('%d%%'):format(math.floor(size * 100)) or math.floor(size)
    run('join-pane', '-h', '-l', tostring(length), '-s', pane.id, '-t', vim.env.TMUX_PANE)
  end
  run('select-pane', '-t', pane.id)
end

return M
