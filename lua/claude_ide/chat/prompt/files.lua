--- The files of a folder, as paths relative to it: collected in the background, and cached briefly.
local git = require('claude_ide.system.git')

local M = {}

local FRESH = 5e9 -- nanoseconds
local MOST = 50000 -- paths
local DEPTH = 8 -- folders
local RANKED = 2000 -- paths; ranking more would delay a key press
local STEP = 200 -- entries of a walk between two turns of the event loop

---@class claude_ide.Files
---@field paths string[] a folder ends in a slash
---@field is_complete boolean whether there are paths, possibly outdated
---@field since integer nanoseconds: when the last search began
---@field waiting fun()[] called once it is complete

---@type table<string, claude_ide.Files> by folder
local cache = {}
local lowered = setmetatable({}, { __mode = 'k' }) ---@type table<string[], string[]>

-- Return a function that adds a path, and the folders above it, to a list.
---@return fun(path: string) add
local function collector(paths)
  local folders = {}
  local function add_folders(path)
    local folder = path:match('^(.*)/')
    while folder and not folders[folder] do
      folders[folder] = true
      table.insert(paths, folder .. '/')
      folder = folder:match('^(.*)/')
    end
  end
  return function(path)
    if #paths < MOST and path ~= '' then
      add_folders(path)
      table.insert(paths, path)
    end
  end
end

local function finish(files, paths)
  files.paths, files.is_complete = paths, true
  local waiting = files.waiting
  files.waiting = {}
  vim.iter(waiting):each(function(fn)
    fn()
  end)
end

-- For a folder without a repository, or if there is no git.
local function walk(files, folder)
  local paths = {}
  local add = collector(paths)
  local walker = coroutine.wrap(function()
    local count = 0
    local function skip(name)
      return not vim.startswith(vim.fs.basename(name), '.')
    end
    for name, type in vim.fs.dir(folder, { depth = DEPTH, skip = skip }) do
      if type ~= 'directory' and not vim.startswith(vim.fs.basename(name), '.') then
        add(name)
      end
      count = count + 1
      if count >= MOST then
        break
      elseif count % STEP == 0 then
        coroutine.yield(true)
      end
    end
  end)
  local function step()
    if walker() then
      vim.defer_fn(step, 1)
    else
      finish(files, paths)
    end
  end
  step()
end

local function list(files, folder)
  local paths, remainder = {}, ''
  local add = collector(paths)
  local process
  local function on_stdout(_, chunk)
    local start, text = 1, remainder .. (chunk or '')
    while true do
      local stop = text:find('\0', start, true)
      if not stop then
        break
      end
      add(text:sub(start, stop - 1))
      start = stop + 1
    end
    remainder = text:sub(start)
    if #paths >= MOST and chunk then
      process:kill('sigterm')
    end
  end
  local command = git.command('ls-files', '-z', '--cached', '--others', '--exclude-standard')
  local ok, started = pcall(
    vim.system,
    command,
    { cwd = folder, env = git.ENVIRONMENT, stdout = on_stdout },
    vim.schedule_wrap(function(result)
      if result.code == 0 or #paths >= MOST then
        finish(files, paths)
      else
        walk(files, folder)
      end
    end)
  )
  process = started
  if not ok then
    walk(files, folder)
  end
end

--- The known paths of a folder. Starts a new search if they are outdated.
---@param folder string absolute
---@param on_done? fun() called later if no paths are known yet
---@return string[]? paths nil if none are known yet
function M.list(folder, on_done)
  local files = cache[folder]
  local is_fresh = files and vim.uv.hrtime() - files.since < FRESH
  if not files then
    files = { paths = {}, is_complete = false, since = 0, waiting = {} }
    cache[folder] = files
  end
  if not is_fresh then
    files.since = vim.uv.hrtime()
    list(files, folder)
  end
  if files.is_complete then
    return files.paths
  end
  table.insert(files.waiting, on_done)
end

-- Whether a text contains the letters in this order.
local function has_letters(text, letters)
  local position = 0
  for _, letter in ipairs(letters) do
    position = text:find(letter, position + 1, true)
    if not position then
      return false
    end
  end
  return true
end

local function lower(paths)
  if not lowered[paths] then
    lowered[paths] = vim.tbl_map(string.lower, paths)
  end
  return lowered[paths]
end

--- The paths that match a pattern fuzzily.
---@param paths string[]
---@param pattern string empty for all
---@param limit integer
---@return string[] matches best first
function M.match(paths, pattern, limit)
  if pattern == '' then
    return vim.list_slice(paths, 1, limit)
  end
  local wanted = pattern:lower()
  local letters = vim.split(wanted, '')
  local whole, scattered = {}, {}
  for index, text in ipairs(lower(paths)) do
    if text:find(wanted, 1, true) then
      whole[#whole + 1] = paths[index]
    elseif #scattered < RANKED and has_letters(text, letters) then
      scattered[#scattered + 1] = paths[index]
    end
    if #whole >= RANKED then
      break
    end
  end
  local candidates = vim.list_extend(whole, scattered, 1, math.max(0, RANKED - #whole))
  return vim.fn.matchfuzzy(candidates, pattern, { limit = limit })
end

return M
