--- Formats with the program in 'formatprg' or 'equalprg', a filter from stdin to stdout.
local reason = require('claude_ide.say.reason')
local shell_command = require('claude_ide.system.shell_command')
local time_limit = require('claude_ide.when.time_limit')

local M = {}

--- Milliseconds after which a program is ended.
M.answers_within = 30000
--- Bytes of output after which a program is killed.
M.largest = 100 * 1000 * 1000
local KEPT_ERRORS = 10000 -- bytes, of which the first line is shown

-- The effective value for a buffer: `vim.bo` does not fall back to the global one.
---@param bufnr integer
---@param name 'formatprg'|'equalprg'
---@return string
local function option(bufnr, name)
  local value = vim.bo[bufnr][name]
  return value ~= '' and value or vim.go[name]
end

--- The formatter that an option names, if any.
---@param bufnr integer
---@param name 'formatprg'|'equalprg'
---@return claude_ide.Formatter?
function M.find(bufnr, name)
  local command = option(bufnr, name)
  return command ~= ''
      and {
        name = command,
        format = function(done)
          return M.format(shell_command.expand(bufnr, command), bufnr, done)
        end,
      }
    or nil
end

local function lines_of(text)
  local lines = vim.split(text, '\n', { plain = true })
  if lines[#lines] == '' then
    lines[#lines] = nil
  end
  -- The buffer determines the line ends.
  local has_dos = vim.iter(lines):all(function(line)
    return vim.endswith(line, '\r')
  end)
  return has_dos and vim.tbl_map(function(line)
    return line:sub(1, -2)
  end, lines) or lines
end

local function failure(result, errors, text)
  if result.code ~= 0 then
    local said = vim.split(vim.trim(errors), '\n', { plain = true })[1]
    return ('exit code %d%s'):format(result.code, said ~= '' and ': ' .. said or '')
  elseif result.signal ~= 0 then
    return ('ended by signal %d'):format(result.signal)
  elseif result.stdout == '' and text:find('%S') then
    -- The program has probably written elsewhere. The user would hardly want an empty file.
    return 'no output'
  end
end

--- Run a command on the text of a loaded buffer.
---@param command string for the shell
---@param bufnr integer
---@param done fun(err?: string, lines?: fun(): string[])
---@return fun() stop
function M.format(command, bufnr, done)
  local text = table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), '\n') .. '\n'
  local pid ---@type integer?
  local answer, stop = time_limit.new(M.answers_within, done, function()
    shell_command.stop(assert(pid))
    return ('did not answer within %g s and was stopped'):format(M.answers_within / 1000)
  end)
  local pieces, size = {}, 0
  local function collect(_, piece)
    if piece and size <= M.largest then
      table.insert(pieces, piece)
      size = size + #piece
      if size > M.largest then
        shell_command.kill(assert(pid))
      end
    end
  end
  local errors = ''
  local function collect_errors(_, piece)
    if piece and #errors < KEPT_ERRORS then
      errors = errors .. piece
    end
  end
  local function finish(result)
    result.stdout = table.concat(pieces)
    local err = size > M.largest
        and ('wrote more than %d MB and was stopped'):format(M.largest / 1e6)
      or failure(result, errors, text)
    answer(err, function()
      return lines_of(result.stdout)
    end)
  end
  -- `%` is relative to this folder.
  local folder = vim.api.nvim_buf_call(bufnr, vim.fn.getcwd)
  local options = { stdin = text, cwd = folder, stdout = collect, stderr = collect_errors }
  local ok, started = pcall(shell_command.start, command, options, finish)
  if not ok then
    answer('it could not be started: ' .. reason.of(started))
  else
    pid = started
  end
  return stop
end

return M
