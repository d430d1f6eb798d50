--- Runs a formatter, or 'makeprg', in a shell.
local M = {}

local augroup = vim.api.nvim_create_augroup('claude_ide_system_shell_command', { clear = true })

local DIES_WITHIN = 1000 -- milliseconds
-- In one pipe output and errors are in the order in which they are written.
local ERRORS_TOO = { 'sh', '-c', 'exec "$@" 2>&1', 'sh' }
local FILE_NAME = [[\\\?\%(%\|#\d*\)\%(:[phtre~.8S]\)*]]

--- Expand `%` to a buffer's file name, and `#` to that of the alternate file, with their modifiers, as `gq`
--- and `:make` do, but quoted for the shell. What names no file stays.
---@param bufnr integer
---@param command string
---@return string
function M.expand(bufnr, command)
  local function quote(match)
    if match[1]:sub(1, 1) == '\\' then
      return match[1]:sub(2)
    end
    local name = vim.fn.expand((match[1]:gsub(':S', '')))
    return name ~= '' and vim.fn.shellescape(name) or match[1]
  end
  return vim.api.nvim_buf_call(bufnr, function()
    return vim.fn.call('substitute', { command, FILE_NAME, quote, 'g' })
  end)
end

-- The program may have started others, which may outlive it.
local function signal_group(pid, signal)
  pcall(vim.uv.kill, -pid, signal)
end

--- End a command and the programs that it has started.
---@param pid integer
function M.stop(pid)
  signal_group(pid, 'sigterm')
  vim.defer_fn(function()
    M.kill(pid)
  end, DIES_WITHIN)
end

--- End them at once.
---@param pid integer
function M.kill(pid)
  signal_group(pid, 'sigkill')
end

--- Start a command without a terminal, from which it could read the user's keys. It is in its own process
--- group, so Neovim would not end it on exit.
---@param command string
---@param options { stdin?: string, cwd: string, stdout: fun(err?: string, data?: string), stderr: function }
---one function for both gets output and errors in their order
---@param done fun(result: vim.SystemCompleted)
---@return integer pid
function M.start(command, options, done)
  local argv = options.stdout == options.stderr and vim.deepcopy(ERRORS_TOO) or {}
  table.insert(argv, vim.o.shell)
  vim.list_extend(argv, vim.split(vim.o.shellcmdflag, ' '))
  table.insert(argv, command)
  local pid, leaving
  local function finish(result)
    pcall(vim.api.nvim_del_autocmd, leaving)
    done(result)
  end
  options = vim.tbl_extend('error', options, { detach = true })
  pid = vim.system(argv, options, vim.schedule_wrap(finish)).pid
  leaving = vim.api.nvim_create_autocmd('VimLeavePre', {
    group = augroup,
    callback = function()
      M.kill(pid)
    end,
  })
  return pid
end

return M
