--- Formats with the program in 'formatprg' or 'equalprg', a filter from stdin to stdout.
local checkpoint = require('claude_ide.format.checkpoint')
local shell_command = require('claude_ide.system.shell_command')

local M = {}

--- Bytes of output after which a program is killed.
M.largest = 100 * 1000 * 1000
local KEPT_ERRORS = 10000 -- bytes, of which the first line is shown

-- The effective value for a buffer: `vim.bo` does not fall back to the global one.
---@param bufnr integer
---@param name 'formatprg'|'equalprg'
---@return string
function M.program(bufnr, name)
  local value = vim.bo[bufnr][name]
  return value ~= '' and value or vim.go[name]
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

--- Run the program on the text of a loaded buffer.
---@param bufnr integer
---@param formatter claude_ide.Formatter
---@param done claude_ide.FormatDone
---@return fun() stop
function M.format(bufnr, formatter, done)
  local pid ---@type integer
  local pieces, size, errors = {}, 0, ''
  local options = {
    stdin = table.concat(checkpoint.lines(bufnr), '\n') .. '\n',
    -- `%` is relative to this folder.
    cwd = vim.api.nvim_buf_call(bufnr, vim.fn.getcwd),
    stdout = function(_, piece)
      if piece and size <= M.largest then
        table.insert(pieces, piece)
        size = size + #piece
        if size > M.largest then
          shell_command.kill(pid)
        end
      end
    end,
    stderr = function(_, piece)
      errors = piece and #errors < KEPT_ERRORS and errors .. piece or errors
    end,
  }
  local command = shell_command.expand(bufnr, formatter.name)
  pid = shell_command.start(command, options, function(result)
    local output = table.concat(pieces)
    done({
      code = result.code,
      signal = result.signal,
      said = vim.split(vim.trim(errors), '\n', { plain = true })[1],
      is_empty = output == '',
      excess = size > M.largest and ('%d MB'):format(M.largest / 1e6) or nil,
    }, lines_of(output))
  end)
  return function()
    shell_command.stop(pid)
  end
end

return M
