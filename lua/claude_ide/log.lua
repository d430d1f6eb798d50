--- The log file of the host and of `:ClaudeInstall`: a million bytes at most, and the one before it.
local colouring = require('claude_ide.colouring')

local M = {}

local LARGEST = 1000000
local OWNER_ONLY = tonumber('600', 8)
local FOLDER = tonumber('700', 8)

---@return string
function M.path()
  return vim.fn.stdpath('log') .. '/claude_ide/claude_ide.log'
end

-- A link is not followed, and a pipe would make Neovim wait for its reader.
local function is_writable(path)
  local status = vim.uv.fs_lstat(path)
  return not status or status.type == 'file'
end

---@return integer? file
---@return integer size
local function open(path)
  local file = is_writable(path) and vim.uv.fs_open(path, 'a', OWNER_ONLY) or nil
  local status = file and vim.uv.fs_fstat(file)
  return file or nil, status and status.size or 0
end

--- Return a function that appends a text to the log, also where Neovim's functions may not be
--- called; a log that cannot be written stops nobody.
---@return fun(text: string)
function M.appender()
  local path = M.path()
  vim.fn.mkdir(vim.fs.dirname(path), 'p', FOLDER)
  return function(text)
    text = text:sub(1, LARGEST)
    local file, size = open(path)
    if file and size + #text > LARGEST then
      vim.uv.fs_close(file)
      vim.uv.fs_rename(path, (path:gsub('%.log$', '.1.log')))
      file = open(path)
    end
    if file then
      vim.uv.fs_write(file, text)
      vim.uv.fs_close(file)
    end
  end
end

--- Open the log at its end.
function M.open()
  if vim.fn.filereadable(M.path()) == 0 then
    require('claude_ide.message').show('nothing has been logged yet', 'info')
    return
  end
  colouring.load(vim.fn.bufadd(M.path()), function()
    vim.cmd.split(vim.fn.fnameescape(M.path()))
  end)
  vim.bo.readonly, vim.bo.autoread = true, true
  vim.cmd('normal! G')
end

return M
