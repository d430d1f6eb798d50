--- Runs a formatter in a shell, and expands the names of files in its command, as in 'makeprg'.
local M = {}

local augroup = vim.api.nvim_create_augroup('claude_ide_system_shell_command', { clear = true })

local DIES_WITHIN = 1000 -- milliseconds
local FILE_NAME = [[\\\?\%(%\|#\d*\)\%(:[phtre~.8S]\)*]]
-- A name of which no shell interprets anything, whatever is around it.
local HARMLESS = '^[%w%.,_/~+@ \128-\255][%w%.,_/~+@ \128-\255-]*$'

-- In which quotes the shell is after a text; nil outside them.
local function quotes_after(text, quotes)
  local is_escaped = false
  for character in text:gmatch('.') do
    if is_escaped then
      is_escaped = false
    elseif character == '\\' and quotes ~= "'" then
      is_escaped = true
    elseif character == quotes then
      quotes = nil
    elseif not quotes and character:find('["\'`]') then
      quotes = character
    end
  end
  return quotes
end

-- A file's name for the shell. Quotes cannot be in quotes, and another shell may read what is in them.
local function quoted(name, quotes)
  if not quotes then
    return vim.fn.shellescape(name)
  elseif not name:find(HARMLESS) then
    local text = 'the shell would interpret the name %s within quotes (%s); write %% without them'
    error(text:format(vim.fn.strtrans(name), quotes), 0)
  end
  return name
end

-- What stands for a match of FILE_NAME.
local function expanded(match, quotes)
  if vim.startswith(match, '\\') then
    return match:sub(2)
  end
  local name = vim.fn.expand((match:gsub(':S', '')))
  return name ~= '' and quoted(name, quotes) or match
end

--- Expand `%` to a buffer's file name, and `#` to that of the alternate file, with their modifiers, as `gq`
--- and `:make` do, but quoted for the shell. What names no file stays.
---
--- Raises an error if the command quotes a name that its shell would interpret nevertheless.
---@param bufnr integer
---@param command string
---@return string
function M.expand(bufnr, command)
  local parts, rest, quotes = {}, command, nil
  return vim.api.nvim_buf_call(bufnr, function()
    while true do
      local match, first, last = unpack(vim.fn.matchstrpos(rest, FILE_NAME))
      if first < 0 then
        return table.concat(parts) .. rest
      end
      local before = rest:sub(1, first)
      quotes = quotes_after(before, quotes)
      vim.list_extend(parts, { before, expanded(match, quotes) })
      rest = rest:sub(last + 1)
    end
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
---@param done fun(result: vim.SystemCompleted)
---@return integer pid
function M.start(command, options, done)
  local argv = { vim.o.shell }
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
