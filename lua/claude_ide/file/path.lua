--- Paths of files: those that buffers hold, where they lead, and which of others are valid. A valid one
--- is absolute, normalized, and names a regular file or a file that does not exist yet.
local M = {}

local IS_WINDOWS = vim.fn.has('win32') == 1
-- PATH_MAX of Linux. The limit of macOS is lower; its system calls report it.
local LONGEST = 4096
local SHOWN = 200
-- Bytes. Neovim reads a log of this size quickly, but one line of twice the size blocks it for seconds.
local LARGEST = 50000000
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

--- Neovim's working folders: the global one, then those of tabpages and windows, without duplicates.
---@return string[]
function M.folders()
  local folders = { vim.fn.getcwd(-1, -1) }
  for tab = 1, vim.fn.tabpagenr('$') do
    for win = 0, vim.fn.tabpagewinnr(tab, '$') do
      folders[#folders + 1] = vim.fn.getcwd(win > 0 and win or -1, tab)
    end
  end
  local known = {}
  return vim.tbl_filter(function(folder)
    local is_new = not known[folder]
    known[folder] = true
    return is_new
  end, folders)
end

--- Whether a buffer with this name, 'buftype' and 'filetype' holds a file, which may not exist yet. Other
--- buffers have no name, or are a terminal, a proposal, a list, a file tree, `scheme://…`.
---@param name string
---@param buftype string
---@param filetype string
---@return boolean
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
  local found = vim.uv.fs_realpath(path)
  if found then
    return found
  end
  -- It also follows a link whose target does not exist, as a write would.
  local ok, target = pcall(vim.fn.resolve, path)
  local resolved = ok and target or path
  local folder = vim.fs.dirname(resolved)
  if folder == resolved then
    return resolved
  end
  return vim.fs.joinpath(M.real(folder), vim.fs.basename(resolved))
end

--- Why a file must not be written whose path had no link when it was shown. Nil if it still has none.
---@param path string absolute
---@return string? refusal one sentence
function M.turned(path)
  if vim.uv.fs_readlink(path) or vim.iter(vim.fs.parents(path)):any(vim.uv.fs_readlink) then
    return ('%s: a link on its path has changed since it was shown; it was not written.'):format(
      path
    )
  end
end

-- `{path}: {reason}`, in one line.
local function refusal(path, reason)
  local shown = #path <= SHOWN and path or path:sub(1, SHOWN) .. '…'
  return ('%s: %s'):format(vim.fn.strtrans(shown), reason)
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
  -- `vim.fs.abspath` reads `~x` as a folder next to the home directory.
  local rooted = path:find('^~[^/]') and './' .. path or path
  local plain = vim.fs.normalize(vim.fs.abspath(rooted), { expand_env = false })
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

---@param path string absolute
---@return string? reason
---@return boolean? is_missing
local function examine(path)
  local stat, message, code = vim.uv.fs_stat(path)
  if code == 'ENOENT' or code == 'ENOTDIR' then
    return obstacle(path), true
  elseif not stat then
    return assert(message):match('^%u+: ([^:]*)') or message
  elseif stat.type ~= 'file' then
    -- Reading a pipe or a device might never end.
    return ('not a file but a %s'):format(KINDS[stat.type] or stat.type)
  elseif not vim.uv.fs_access(path, 'R') then
    return 'permission denied'
  elseif stat.size > LARGEST then
    return ('has %s bytes, more than %s'):format(with_commas(stat.size), with_commas(LARGEST))
  end
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

return M
