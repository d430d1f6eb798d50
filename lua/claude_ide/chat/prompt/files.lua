--- The files of a folder, as paths relative to it: gathered in the background, kept for a while.
local git = require('claude_ide.system.git')

local M = {}

local FRESH = 5e9 -- nanoseconds
local MOST = 50000
local DEPTH = 8
-- To put more in order takes longer than a key press may.
local RANKED = 2000
local STEP = 200 -- entries of a walk between two looks at what the user does

---@class claude_ide.Files
---@field paths string[] a folder ends in a slash
---@field is_complete boolean
---@field since integer
---@field waiting fun()[]

---@type table<string, claude_ide.Files>
local cache = {}
local lowered = setmetatable({}, { __mode = 'k' }) ---@type table<string[], string[]>

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

-- Where there is no repository, or no git.
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
  local paths, rest = {}, ''
  local add = collector(paths)
  local process
  local function on_stdout(_, chunk)
    local start, text = 1, rest .. (chunk or '')
    while true do
      local stop = text:find('\0', start, true)
      if not stop then
        break
      end
      add(text:sub(start, stop - 1))
      start = stop + 1
    end
    rest = text:sub(start)
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

--- The paths that are known now; `on_done` is called later if there are none yet.
---@param folder string absolute
---@param on_done? fun()
---@return string[]? paths
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

-- Whether the letters of a pattern come one after the other in a text.
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

--- The paths that a pattern matches, the best first.
---@param paths string[]
---@param pattern string
---@param limit integer
---@return string[]
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
