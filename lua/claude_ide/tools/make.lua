--- Runs the user's own 'makeprg' for the model, and fills the quickfix list with what it reports. The
--- command has no word of the model's in it.
local reason = require('claude_ide.say.reason')
local shell_command = require('claude_ide.system.shell_command')

local M = {}

local api = vim.api

--- Milliseconds after which the command is stopped.
M.ends_within = 600000
local LARGEST = 1e7 -- bytes of output
local SHOWN = 4000 -- bytes of output for the model

local function option(bufnr, name)
  local value = vim.bo[bufnr][name]
  return value ~= '' and value or vim.go[name]
end

--- The command that would be run, and its folder.
---@type claude_ide.Tool
function M.command(_, answer)
  local bufnr = api.nvim_get_current_buf()
  local words = option(bufnr, 'makeprg'):gsub('%$%*', '')
  answer({
    command = vim.trim(shell_command.expand(bufnr, words)),
    folder = api.nvim_buf_call(bufnr, vim.fn.getcwd),
    efm = option(bufnr, 'errorformat'),
  })
end

-- Keeps what a program prints, up to a limit.
local function collector()
  local pieces, size = {}, 0
  return function(_, piece)
    if piece and size < LARGEST then
      pieces[#pieces + 1], size = piece, size + #piece
    end
  end, function()
    return table.concat(pieces)
  end
end

local function tail(text)
  return #text > SHOWN and '…' .. text:sub(-SHOWN) or text
end

local function fill(command, efm, output)
  local lines = vim.split(output, '\r?\n', { trimempty = true })
  vim.fn.setqflist({}, ' ', { title = ':' .. command, lines = lines, efm = efm })
  api.nvim_exec_autocmds('QuickFixCmdPost', { pattern = 'make' })
  local items = vim.fn.getqflist()
  return vim.iter(items):fold(0, function(count, item)
    return count + item.valid
  end)
end

--- Run the command that the user has agreed to, which `command` has described.
---@type claude_ide.Tool
function M.run(arguments, answer)
  local command = arguments.command
  local keep, output = collector()
  local is_stopped, timer = false, nil
  local ok, pid = pcall(
    shell_command.start,
    command,
    { cwd = arguments.folder, stdout = keep, stderr = keep },
    function(result)
      timer:stop()
      local text = output()
      answer({
        code = result.code,
        is_stopped = is_stopped,
        entries = fill(command, arguments.efm, text),
        output = tail(text),
      })
    end
  )
  if not ok then
    return answer({ error = ('%s could not be started: %s'):format(command, reason.of(pid)) })
  end
  local function stop()
    is_stopped = true
    shell_command.stop(pid)
  end
  timer = vim.defer_fn(stop, M.ends_within)
  return stop
end

return M
