--- Checks paths from outside: those that pass are absolute, normalized, and name a regular file or a file
--- that does not exist yet.
local M = {}

local IS_WINDOWS = vim.fn.has('win32') == 1
-- PATH_MAX of Linux. The limit of macOS is lower; its system calls report it.
local LONGEST = 4096
local SHOWN = 200
-- Bytes. Neovim reads a log of this size quickly, but one line of twice the size blocks it for seconds.
local LARGEST = 50000000
local MISSING = { ENOENT = true, ENOTDIR = true }
-- Of plugins that read or write a file in place of Neovim (zip.vim), or filter what Neovim reads (gzip.vim).
local READING = { 'BufReadCmd', 'FileReadCmd', 'FileReadPost', 'BufWriteCmd', 'FileWriteCmd' }
-- Bytes that are searched for a NUL.
local HEAD = 8000
local KINDS = {
  block = 'device',
  char = 'device',
  directory = 'folder',
  fifo = 'pipe',
  socket = 'socket',
}

-- `{path}: {reason}`, in one line.
local function refusal(path, reason)
  local shown = #path <= SHOWN and path or path:sub(1, SHOWN) .. '…'
  return ('%s: %s'):format(vim.fn.strtrans(shown), reason)
end

-- `vim.fs.abspath` reads `~x` as a folder next to the home directory.
local function rooted(path)
  if path:sub(1, 1) == '~' and path ~= '~' and path:sub(2, 2) ~= '/' then
    path = './' .. path
  end
  return vim.fs.abspath(path)
end

-- Whether a path is certainly absolute, without `.`, `..` and doubled slashes. This is quick to see.
local function is_plain(path)
  return not IS_WINDOWS
    and path:find('^/') ~= nil
    and not path:find('/%.*/')
    and not path:find('/%.*$')
end

--- Make a path absolute, without `.`, `..` and doubled slashes: Neovim would read `x://y` as a URL.
---
--- Raises an error that names the path if no file can have it.
---@param path string
---@return string
function M.absolute(path)
  if type(path) ~= 'string' or path == '' then
    error('the path is empty', 0)
  elseif path:find('\0', 1, true) then
    error(refusal(path:gsub('%z.*', '…'), 'contains a NUL'), 0)
  elseif #path > LONGEST then
    error(refusal(path, 'the path is too long'), 0)
  end
  if is_plain(path) then
    return path
  end
  local plain = vim.fs.normalize(rooted(path), { expand_env = false })
  return IS_WINDOWS and plain or (plain:gsub('^//+', '/'))
end

-- Why a path without a file cannot get one: one of its folders is not a folder.
local function obstacle(path)
  for folder in vim.fs.parents(path) do
    local stat = vim.uv.fs_stat(folder)
    if stat then
      return stat.type ~= 'directory' and folder .. ' is not a folder' or nil
    end
  end
end

local function with_commas(number)
  return (('%d'):format(number):reverse():gsub('(%d%d%d)', '%1,'):reverse():gsub('^,', ''))
end

local function is_too_large(stat)
  return stat.size > LARGEST
    and ('has %s bytes, more than %s'):format(with_commas(stat.size), with_commas(LARGEST))
end

---@param path string absolute
---@return string? reason
---@return boolean? is_missing
local function examine(path)
  local stat, message, code = vim.uv.fs_stat(path)
  if stat and stat.type ~= 'file' then
    -- Reading a pipe or a device might never end.
    return ('not a file but a %s'):format(KINDS[stat.type] or stat.type)
  elseif stat then
    return not vim.uv.fs_access(path, 'R') and 'permission denied' or is_too_large(stat) or nil
  elseif MISSING[code] then
    return obstacle(path), true
  end
  return assert(message):match('^%u+: ([^:]*)') or message
end

-- A plugin may read the parts of a name as other files than the one that was checked: tar.vim does so
-- with `tarfile::a::b`.
local function is_split(path, pattern)
  local scheme = pattern:match('^(%a[%w+.-]*:+)[^/:]')
  return scheme ~= nil and path:find('/' .. scheme, 1, true) ~= nil
end

local function patterns(events)
  return vim.iter(vim.api.nvim_get_autocmds({ event = events })):map(function(autocmd)
    return not autocmd.buflocal and autocmd.pattern or nil
  end)
end

local regexes = {} ---@type table<string, vim.regex|false> by pattern

local function regex_of(pattern)
  if regexes[pattern] == nil then
    local ok, regex = pcall(vim.regex, vim.fn.glob2regpat(pattern))
    regexes[pattern] = ok and regex or false
  end
  return regexes[pattern]
end

--- The autocommand pattern for which a plugin makes the text of this file, such as `*.zip` or `*.gz`: its
--- bytes are not what a buffer of it shows.
---@param path string absolute
---@return string?
function M.reader(path)
  return patterns(READING):find(function(pattern)
    -- An autocommand for all files, such as one that opens folds, is no filter.
    if not pattern:find('[^*]') then
      return false
    end
    local text = pattern:find('/', 1, true) and path or vim.fs.basename(path)
    local regex = regex_of(pattern)
    return regex and regex:match_str(text) ~= nil
  end)
end

--- Why only a plugin can read a file, if so.
---@param path string absolute
---@return string? reason
function M.needs_plugin(path)
  local pattern = M.reader(path)
  return pattern and ('a plugin handles such files itself (%s)'):format(pattern) or nil
end

--- Check a file that is to be loaded as text.
---@param path string
---@return string? path absolute
---@return string? refusal `{path}: {reason}`
function M.text_file(path)
  local absolute, reason = M.existing(path)
  local why = absolute and M.needs_plugin(absolute)
  if why then
    return nil, refusal(absolute, why)
  end
  return absolute, reason
end

--- Whether the beginning of a regular file is not text.
---@param path string
---@return boolean
function M.is_binary(path)
  local file = io.open(path, 'rb')
  local head = file and file:read(HEAD) or ''
  if file then
    file:close()
  end
  return head:find('\0', 1, true) ~= nil
end

--- Check a path that must name a regular file, or a file that does not exist yet.
---@param path string
---@return string? path absolute
---@return string? refusal `{path}: {reason}`
---@return boolean? is_missing the path is valid, but the file does not exist
function M.check(path)
  local ok, absolute = pcall(M.absolute, path)
  if not ok then
    return nil, absolute
  end
  local reason, is_missing = examine(absolute)
  -- Most paths have no colon, and need no list of autocommands.
  local splitter = not reason
    and absolute:find(':', 1, true)
    and patterns('BufReadCmd'):find(function(pattern)
      return is_split(absolute, pattern)
    end)
  reason = splitter and ('a plugin handles such names itself (%s)'):format(splitter) or reason
  if reason then
    return nil, refusal(absolute, reason)
  end
  return absolute, nil, is_missing
end

--- Check a path that must name a regular file.
---@param path string
---@return string? path absolute
---@return string? refusal `{path}: {reason}`
function M.existing(path)
  local absolute, reason, is_missing = M.check(path)
  if absolute and is_missing then
    return nil, refusal(absolute, 'no such file')
  end
  return absolute, reason
end

return M
