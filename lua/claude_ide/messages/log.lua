--- The log file of the host, of `:ClaudeInstall` and of messages. At a million bytes it is renamed,
--- and a new one begins; one old file is kept.
local M = {}

local uv = vim.uv
local LARGEST = 1000000 -- bytes of the file
local LONGEST = 16000 -- bytes of a message
local OWNER_ONLY = tonumber('600', 8)
local FOLDER = tonumber('700', 8)

--- The path of the log.
---@return string
function M.path()
  return vim.fn['claude_ide#editor#Folder']('state') .. '/claude_ide.log'
end

--- Return a function that appends a text to the log. It may be called in fast events, and ignores a
--- log that cannot be written.
---@return fun(text: string)
function M.appender()
  local path = M.path()
  pcall(vim.fn.mkdir, vim.fs.dirname(path), 'p', FOLDER)
  return function(text)
    text = text:sub(1, LARGEST)
    local status = uv.fs_lstat(path)
    if status and status.size + #text > LARGEST then
      uv.fs_rename(path, (path:gsub('%.log$', '.1.log')))
    end
    -- Links are not followed; opening a pipe would block Neovim until it has a reader.
    local is_writable = not status or status.type == 'file'
    local file = is_writable and uv.fs_open(path, 'a', OWNER_ONLY)
    if file then
      uv.fs_write(file, text)
      uv.fs_close(file)
    end
  end
end

--- Append an entry in the host's format.
---@type fun(level: 'debug'|'info'|'warn'|'error', text: string)
function M.write(level, text)
  local name = level == 'warn' and 'WARNING' or level:upper()
  local seconds, microseconds = uv.gettimeofday()
  local time = ('%s,%03d'):format(os.date('%Y-%m-%d %H:%M:%S', seconds), microseconds / 1000)
  local entry = { time, vim.fn.getpid(), name, 'message: ' .. text:sub(1, LONGEST) }
  M.appender()(table.concat(entry, ' ') .. '\n')
end

return M
