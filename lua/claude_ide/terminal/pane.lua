--- A pane of the user's tmux in which the CLI runs: opened, hidden in a tmux window of its own, shown again.
local program = require('claude_ide.system.program')

local M = {}

local uv = vim.uv

local PATIENCE_MS = 5000
-- Variables that are those of the pane, or of this Neovim only.
local OWN = {
  '^TERM$',
  '^TERM_PROGRAM',
  '^COLORTERM$',
  '^TMUX',
  '^NVIM',
  '^VIM',
  '^MYVIMRC$',
  '^PWD$',
  '^OLDPWD$',
  '^SHLVL$',
  '^_$',
}
-- The pane closes with the script, and its output with it (`editor/typing.py` knows this text).
local KEEP_OUTPUT =
  [=[[ "$code" -eq 0 ] || { printf '\n[exited %s; Enter closes this]' "$code"; read -r _; }]=]
local PRIVATE = tonumber('600', 8)

---@class claude_ide.Pane
---@field id string tmux's, such as `%3`
---@field pid integer of the shell in it

local function run(...)
  local path = program.find('tmux') or 'tmux'
  local done = vim.system({ path, ... }, { text = true }):wait(PATIENCE_MS)
  if done.code ~= 0 then
    error(('tmux: %s'):format(vim.trim(done.stderr or '')), 0)
  end
  return vim.trim(done.stdout)
end

--- Why no pane can be opened; nil if one can.
---@return string?
function M.refusal()
  if not (vim.env.TMUX and vim.env.TMUX_PANE) then
    return 'this Neovim does not run in tmux'
  end
  return not program.find('tmux') and 'tmux is not on PATH' or nil
end

local function quoted(word)
  return ("'%s'"):format((word:gsub("'", [['\'']])))
end

local function is_passed(name)
  return name:find('^[%a_][%w_]*$')
    and not vim.iter(OWN):any(function(pattern)
      return name:find(pattern)
    end)
end

-- Every user of the machine can read a command line, but not this file, which deletes itself. A pane gets
-- the environment of tmux, not that of Neovim.
local function write_script(command, env)
  local lines = { 'rm -f -- "$0"' }
  for name, value in vim.spairs(vim.tbl_extend('force', vim.fn.environ(), env)) do
    if is_passed(name) then
      table.insert(lines, ('export %s=%s'):format(name, quoted(tostring(value))))
    end
  end
  table.insert(lines, table.concat(vim.tbl_map(quoted, command), ' '))
  table.insert(lines, 'code=$?')
  table.insert(lines, KEEP_OUTPUT)
  local path = vim.fn.tempname()
  local file = assert(uv.fs_open(path, 'wx', PRIVATE))
  uv.fs_write(file, table.concat(lines, '\n') .. '\n')
  uv.fs_close(file)
  return path
end

local function size(share)
  return share < 1 and ('%d%%'):format(math.floor(share * 100)) or tostring(math.floor(share))
end

--- Mark a pane, so that the editor after this one finds it (`hooks/panes.py`).
---@param id string
---@param mark string
function M.mark(id, mark)
  pcall(run, 'set-option', '-p', '-t', id, '@claude_ide', mark)
end

--- Run a command in a new pane on the right, and go there. Raises an error if tmux refuses.
---@param command string[]
---@param env table<string, string> in addition to Neovim's environment
---@param share number of the window, or columns
---@param mark string for the next editor (`mark`)
---@return claude_ide.Pane
function M.open(command, env, share, mark)
  local script = write_script(command, env)
  local format = '#{pane_id} #{pane_pid}'
  local place = { '-h', '-l', size(share), '-t', vim.env.TMUX_PANE, '-c', vim.fn.getcwd() }
  local shell = { '-P', '-F', format, 'sh', script }
  local ok, made = pcall(run, 'split-window', unpack(vim.list_extend(place, shell)))
  if not ok then
    uv.fs_unlink(script)
    error(made, 0)
  end
  local id, pid = made:match('^(%S+) (%d+)$')
  M.mark(id, mark)
  return { id = id, pid = assert(tonumber(pid)) }
end

--- Whether its CLI runs, or the pane still shows why it does not.
---@param pane claude_ide.Pane
---@return boolean
function M.is_alive(pane)
  return uv.kill(pane.pid, 0) == 0
end

--- Whether tmux still has it. Its process may outlive it for a moment.
---@param pane claude_ide.Pane
---@return boolean
function M.exists(pane)
  local ok, pid = pcall(run, 'display-message', '-p', '-t', pane.id, '#{pane_pid}')
  -- Without the pane, older versions of tmux print an empty text.
  return ok and tonumber(pid) == pane.pid
end

local function window_of(id)
  return run('display-message', '-p', '-t', id, '#{window_id}')
end

--- Whether it is in the tmux window of this Neovim.
---@param pane claude_ide.Pane
---@return boolean
function M.is_shown(pane)
  return window_of(pane.id) == window_of(vim.env.TMUX_PANE)
end

--- Move it to a tmux window of its own, in the background.
---@param pane claude_ide.Pane
function M.hide(pane)
  run('break-pane', '-d', '-s', pane.id, '-n', 'Claude')
end

--- Go there. If it is in another tmux window, bring it here first.
---@param pane claude_ide.Pane
---@param share number of the window, or columns
function M.focus(pane, share)
  if not M.is_shown(pane) then
    run('join-pane', '-h', '-l', size(share), '-s', pane.id, '-t', vim.env.TMUX_PANE)
  end
  run('select-pane', '-t', pane.id)
end

return M
