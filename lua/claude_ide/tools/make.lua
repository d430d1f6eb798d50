--- Runs the user's own 'makeprg' for the model, and fills the quickfix list with what it reports. The
--- command has no word of the model's in it.
local place = require('claude_ide.tools.place')
local reason = require('claude_ide.say.reason')
local shell_command = require('claude_ide.system.shell_command')

local M = {}

local api = vim.api

--- Milliseconds after which the command is stopped.
M.ends_within = 600000
-- Of the output. Neovim would not react while it parses more lines.
local MOST_BYTES, MOST_LINES = 1e7, 1e5
local SHOWN = 4000 -- bytes of output for the model

local function option(bufnr, name)
  local value = vim.bo[bufnr][name]
  return value ~= '' and value or vim.go[name]
end

--- The command that would be run, and its folder.
---@type claude_ide.Tool
function M.command(_, answer)
  local window = place.window()
  local bufnr = api.nvim_win_get_buf(window)
  local words = option(bufnr, 'makeprg'):gsub('%$%*', '')
  answer({
    command = vim.trim(shell_command.expand(bufnr, words)),
    folder = api.nvim_win_call(window, vim.fn.getcwd),
    efm = option(bufnr, 'errorformat'),
  })
end

-- Keeps what a program prints, up to a limit.
local function collector()
  local pieces, size, lines = {}, 0, 0
  return function(_, piece)
    if piece and size < MOST_BYTES and lines < MOST_LINES then
      pieces[#pieces + 1], size = piece, size + #piece
      lines = lines + select(2, piece:gsub('\n', ''))
    end
  end, function()
    return table.concat(pieces)
  end
end

local function tail(text)
  return #text > SHOWN and '…' .. text:sub(-SHOWN) or text
end

-- What a terminal would show of a line: no colours, and what a progress bar has left. 'errorformat' would
-- not recognize anything else.
local function shown(line)
  line = line:gsub('\27%[[%d;:?]*%a', ''):gsub('\27%][^\7\27]*\7', ''):gsub('\r+$', '')
  return line:match('[^\r]*$')
end

-- A new list after all others. Returns how many places 'errorformat' has found, which Vim script counts:
-- converting all entries takes much longer.
local function fill(command, efm, lines)
  vim.fn.setqflist({}, ' ', { nr = '$', title = ':' .. command, lines = lines, efm = efm })
  api.nvim_exec_autocmds('QuickFixCmdPost', { pattern = 'make' })
  return api.nvim_eval("len(filter(getqflist(), 'v:val.valid'))")
end

--- Run the command that the user has agreed to, which `command` has described.
---@type claude_ide.Tool
function M.run(arguments, answer)
  local command = arguments.command
  local keep, output = collector()
  local is_stopped, is_cancelled, timer = false, false, nil
  local ok, pid = pcall(
    shell_command.start,
    command,
    { cwd = arguments.folder, stdout = keep, stderr = keep },
    function(result)
      timer:stop()
      if is_cancelled then
        return
      end
      local lines = vim.split(output(), '\n', { plain = true, trimempty = true })
      lines = vim.tbl_map(shown, lines)
      answer({
        code = result.code,
        is_stopped = is_stopped,
        entries = fill(command, arguments.efm, lines),
        output = tail(table.concat(lines, '\n')),
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
  return function()
    is_cancelled = true
    stop()
  end
end

return M
