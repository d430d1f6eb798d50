--- Paths of files: those that buffers hold, where they lead, and which of others are valid. A valid one
--- is absolute, normalized, and names a regular file or a file that does not exist yet.
local M = {}

-- PATH_MAX of Linux. The limit of macOS is lower; its system calls report it.
local LONGEST_BYTES = 4096
local SHOWN_BYTES = 200
-- Neovim reads a log of this size quickly, but one line of twice the size blocks it for seconds.
local LARGEST_BYTES = 50000000
-- Of plugins that read or write a file in place of Neovim (zip.vim), or filter what Neovim reads (gzip.vim).
local READING = { 'BufReadCmd', 'FileReadCmd', 'FileReadPost', 'BufWriteCmd', 'FileWriteCmd' }
local KINDS = { block = 'device', char = 'device', directory = 'folder', fifo = 'pipe' }

--- Whether a buffer with this name, 'buftype' and 'filetype' holds a file, which may not exist yet. Other
--- buffers have no name, or are a terminal, a proposal, a list, a file tree, `scheme://…`.
---@type fun(name: string, buftype: string, filetype: string): boolean
function M.is_held(name, buftype, filetype)
  return buftype == ''
    and name ~= ''
    and not name:find('^%a[%w+.-]*://')
    and filetype ~= 'netrw'
    and vim.fn.isdirectory(name) == 0
end

--- The absolute path of the file that a buffer holds; nil for a buffer of another kind.
---@param bufnr integer 0 for the current one
---@return string?
function M.path(bufnr)
  if not vim.api.nvim_buf_is_valid(bufnr) then
    return nil
  end
  local name, options = vim.api.nvim_buf_get_name(bufnr), vim.bo[bufnr]
  return M.is_held(name, options.buftype, options.filetype) and name or nil
end

--- A path without links, also if its file does not exist. Unchanged if its links lead in a circle.
---@param path string absolute
---@return string
function M.real(path)
  -- It also follows a link whose target does not exist, as a write would.
  local ok, target = pcall(vim.fn.resolve, path)
  return vim.uv.fs_realpath(path) or ok and target or path
end

-- `{path}: {reason}`, in one line.
local function refusal(path, reason)
  local shown = #path <= SHOWN_BYTES and path or path:sub(1, SHOWN_BYTES) .. '…'
  return ('%s: %s'):format(vim.fn.strtrans(shown), reason)
end

--- Make a path absolute, without `.`, `..` and doubled slashes: Neovim would read `x://y` as a URL.
---
--- Raises an error that names the path if no file can have it.
---@type fun(path: string): string
function M.absolute(path)
  if type(path) ~= 'string' or path == '' then
    error('the path is empty', 0)
  elseif path:find('\0', 1, true) then
    error(refusal(path:gsub('%z.*', '…'), 'contains a NUL'), 0)
  elseif #path > LONGEST_BYTES then
    error(refusal(path, 'the path is too long'), 0)
  end
  -- `vim.fs.abspath` reads `~x` as a folder next to the home directory.
  local rooted = path:find('^~[^/]') and './' .. path or path
  local plain = vim.fs.normalize(vim.fs.abspath(rooted), { expand_env = false })
  return (plain:gsub('^//+', '/'))
end

---@param path string absolute
---@return string? reason
---@return boolean? is_missing
local function examine(path)
  local stat, message, code = vim.uv.fs_stat(path)
  if code == 'ENOENT' or code == 'ENOTDIR' then
    local parent = vim.iter(vim.fs.parents(path)):find(vim.uv.fs_stat)
    local is_folder = not parent or vim.fn.isdirectory(parent) == 1
    return not is_folder and parent .. ' is not a folder' or nil, true
  elseif not stat then
    return assert(message):match('^%u+: ([^:]*)') or message
  elseif stat.type ~= 'file' then
    -- Reading a pipe or a device might never end.
    return ('not a file but a %s'):format(KINDS[stat.type] or stat.type)
  elseif not vim.uv.fs_access(path, 'R') then
    return 'permission denied'
  elseif stat.size > LARGEST_BYTES then
    return ('has %d bytes, more than %d'):format(stat.size, LARGEST_BYTES)
  end
end

local function patterns(events)
  return vim.iter(vim.api.nvim_get_autocmds({ event = events })):map(function(autocmd)
    return not autocmd.buflocal and autocmd.pattern or nil
  end)
end

-- A plugin may read the parts of a name as other files than the one that was checked: tar.vim does so
-- with `tarfile::a::b`. Most paths have no colon, and need no list of autocommands.
local function splitter(path)
  return path:find(':', 1, true)
    and patterns('BufReadCmd'):find(function(pattern)
      local scheme = pattern:match('^(%a[%w+.-]*:+)[^/:]')
      return scheme ~= nil and path:find('/' .. scheme, 1, true) ~= nil
    end)
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
    local ok, regex = pcall(vim.regex, vim.fn.glob2regpat(pattern))
    return ok and regex:match_str(text) ~= nil
  end)
end

--- Why only a plugin can read a file, if so.
---@param path string absolute
---@return string? reason
function M.needs_plugin(path)
  local pattern = M.reader(path)
  return pattern and ('a plugin handles such files itself (%s)'):format(pattern) or nil
end

--- Check a path that must name a regular file, or a file that does not exist yet.
---@param path string
---@param is_text? boolean the file, if there is one, is to be loaded as text
---@return string? path absolute
---@return string? refusal `{path}: {reason}`
---@return boolean? is_missing the path is valid, but the file does not exist
function M.check(path, is_text)
  local ok, absolute = pcall(M.absolute, path)
  if not ok then
    return nil, absolute
  end
  local reason, is_missing = examine(absolute)
  local split_at = not reason and splitter(absolute)
  if split_at then
    reason = ('a plugin handles such names itself (%s)'):format(split_at)
  elseif is_text and not is_missing then
    reason = reason or M.needs_plugin(absolute)
  end
  if reason then
    return nil, refusal(absolute, reason)
  end
  return absolute, nil, is_missing
end

--- Check a path that must name a regular file.
---@param path string
---@param is_text? boolean as for `check`
---@return string? path absolute
---@return string? refusal `{path}: {reason}`
function M.existing(path, is_text)
  local absolute, reason, is_missing = M.check(path, is_text)
  if absolute and is_missing then
    return nil, refusal(absolute, 'no such file')
  end
  return absolute, reason
end

return M
