--- Formatting by the program that 'formatprg' or 'equalprg' names: text in, text out.
local M = {}

local ANSWERS_WITHIN = 30000
local FILE_NAME = [[\\\?%\%(:[phtre~.8S]\)*]]

-- The value that counts for a buffer; what `vim.bo` says leaves the global one out.
local function option(bufnr, name)
  local value = vim.bo[bufnr][name]
  return value ~= '' and value or vim.go[name]
end

-- `%` with its modifiers is the file's name, as it is when `gq` runs the program, but quoted.
local function expand(bufnr, command)
  return vim.api.nvim_buf_call(bufnr, function()
    return vim.fn.substitute(command, FILE_NAME, function(match)
      if match[1]:sub(1, 1) == '\\' then
        return match[1]:sub(2)
      end
      return vim.fn.shellescape(vim.fn.expand((match[1]:gsub(':S', ''))))
    end, 'g')
  end)
end

--- The formatter of a buffer, if an option names one.
---@param bufnr integer
---@return claude_ide.Formatter?
function M.find(bufnr)
  local command = option(bufnr, 'formatprg')
  if command == '' then
    command = option(bufnr, 'equalprg')
  end
  return command ~= ''
      and {
        name = command,
        format = function(done)
          M.format(expand(bufnr, command), bufnr, done)
        end,
      }
    or nil
end

local function lines_of(text)
  local lines = vim.split(text, '\n', { plain = true })
  if lines[#lines] == '' then
    lines[#lines] = nil
  end
  -- The line ends are the buffer's business.
  local has_dos = vim.iter(lines):all(function(line)
    return vim.endswith(line, '\r')
  end)
  return has_dos and vim.tbl_map(function(line)
    return line:sub(1, -2)
  end, lines) or lines
end

local function failure(result, text)
  if result.code ~= 0 then
    local said = vim.split(vim.trim(result.stderr), '\n', { plain = true })[1]
    return ('exit code %d%s'):format(result.code, said ~= '' and ': ' .. said or '')
  elseif result.signal ~= 0 then
    return ('ended by signal %d'):format(result.signal)
  elseif result.stdout == '' and text:find('%S') then
    -- Most likely a program that writes elsewhere; an empty file is nobody's wish.
    return 'no output'
  end
end

---@param command string
---@param bufnr integer
---@param done fun(err?: string, lines?: fun(): string[])
function M.format(command, bufnr, done)
  local text = table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), '\n') .. '\n'
  local argv = vim.list_extend({ vim.o.shell }, vim.split(vim.o.shellcmdflag, ' '))
  table.insert(argv, command)
  -- Where `%` is relative to.
  local folder = vim.api.nvim_buf_call(bufnr, vim.fn.getcwd)
  vim.system(
    argv,
    { stdin = text, cwd = folder, timeout = ANSWERS_WITHIN },
    vim.schedule_wrap(function(result)
      done(failure(result, text), function()
        return lines_of(result.stdout)
      end)
    end)
  )
end

return M
