--- The files of a folder, as paths relative to it: collected in the background, and cached briefly.
local chat_paths = require('claude_ide.chat.prompt.paths')
local git = require('claude_ide.system.git')

local M = {}

local FRESH = 5e9 -- nanoseconds
-- A list is fresh for this many times the time that the search took.
local PATIENCE = 20
local LARGEST = 64 * 1024 * 1024 -- bytes of all paths: about a million
local MOST_WALKED = 50000 -- entries
local DEPTH = 8 -- folders
local CACHED = 3 -- folders
local WAIT = 10 -- milliseconds

---@class claude_ide.Files
---@field paths? claude_ide.Paths possibly outdated
---@field since integer nanoseconds: when the last search began
---@field took integer nanoseconds that the last search took
---@field is_searching boolean
---@field used integer higher if used later
---@field waiting fun()[] called once there are paths

---@type table<string, claude_ide.Files> by folder
local cache = {}
local uses = 0

local function finish(files, paths)
  files.paths, files.is_searching = paths, false
  files.took = vim.uv.hrtime() - files.since
  local waiting = files.waiting
  files.waiting = {}
  vim.iter(waiting):each(function(fn)
    fn()
  end)
end

-- For a folder without a repository, or if there is no git.
local function walk(files, folder)
  chat_paths.in_slices(function()
    local paths, count = chat_paths.new(), 0
    local function skip(name)
      return not vim.startswith(vim.fs.basename(name), '.')
    end
    for name, type in vim.fs.dir(folder, { depth = DEPTH, skip = skip }) do
      if type ~= 'directory' and not vim.startswith(vim.fs.basename(name), '.') then
        chat_paths.add(paths, name)
      end
      count = count + 1
      if count >= MOST_WALKED then
        break
      end
      chat_paths.pause(0)
    end
    chat_paths.complete(paths)
    return paths
  end, function(paths)
    finish(files, paths)
  end)
end

---@class claude_ide.Listing the output of git
---@field pieces string[] not read yet
---@field size integer bytes
---@field code? integer of git's exit

---@param listing claude_ide.Listing
---@param paths claude_ide.Paths
local function read(listing, paths)
  local rest, before = '', ''
  local function add(text)
    local start = 1
    for path, stop in text:gmatch('(%Z*)%z()') do
      -- A file with a conflict is listed once for each version.
      if path ~= before then
        chat_paths.add(paths, path)
      end
      before, start = path, stop
    end
    rest = text:sub(start)
  end
  while not listing.code or #listing.pieces > 0 do
    local piece = table.remove(listing.pieces, 1)
    if piece then
      add(rest .. piece)
    end
    chat_paths.pause(piece and 0 or WAIT)
  end
end

---@return claude_ide.Listing? listing nil if git cannot be run
local function run_git(folder)
  local listing = { pieces = {}, size = 0 }
  local process
  local function on_stdout(_, piece)
    table.insert(listing.pieces, piece)
    listing.size = listing.size + #(piece or '')
    if listing.size > LARGEST then
      process:kill('sigterm')
    end
  end
  local command = git.command('ls-files', '-z', '--cached', '--others', '--exclude-standard')
  local options = { cwd = folder, env = git.ENVIRONMENT, stdout = on_stdout }
  local ok, started = pcall(vim.system, command, options, function(result)
    listing.code = listing.size > LARGEST and 0 or result.code
  end)
  process = started
  return ok and listing or nil
end

local function search(files, folder)
  local listing = run_git(folder)
  if not listing then
    return walk(files, folder)
  end
  chat_paths.in_slices(function()
    local paths = chat_paths.new()
    read(listing, paths)
    chat_paths.complete(paths)
    return paths
  end, function(paths)
    if listing.code == 0 then
      finish(files, paths)
    else
      walk(files, folder)
    end
  end)
end

local function forget_oldest()
  local folders = vim.tbl_keys(cache)
  table.sort(folders, function(a, b)
    return cache[a].used > cache[b].used
  end)
  for index = CACHED + 1, #folders do
    cache[folders[index]] = nil
  end
end

local function files_of(folder)
  local files = cache[folder]
  if not files then
    files = { since = 0, took = 0, is_searching = false, used = 0, waiting = {} }
    cache[folder] = files
  end
  uses = uses + 1
  files.used = uses
  forget_oldest()
  return files
end

--- The known paths of a folder. Starts a new search if they are outdated.
---@param folder string absolute
---@param on_done? fun() called later if no paths are known yet
---@return claude_ide.Paths? paths nil if none are known yet
function M.list(folder, on_done)
  local files = files_of(folder)
  local fresh = math.max(FRESH, PATIENCE * files.took)
  if not files.is_searching and vim.uv.hrtime() - files.since > fresh then
    files.since, files.is_searching = vim.uv.hrtime(), true
    search(files, folder)
  end
  if not files.paths then
    table.insert(files.waiting, on_done)
  end
  return files.paths
end

---@type { paths?: claude_ide.Paths, pattern?: string, found?: string[], on_done?: fun() }
local last = {}

--- The paths that match a pattern fuzzily.
---@param paths claude_ide.Paths
---@param pattern string empty for all
---@param limit integer
---@param on_done? fun() called later if they are not known yet, unless another pattern is asked for
---@return string[]? matches best first; nil if they are not known yet
function M.match(paths, pattern, limit, on_done)
  if pattern == '' then
    return chat_paths.first(paths, limit)
  elseif last.paths == paths and last.pattern == pattern then
    last.on_done = on_done or last.on_done
    return last.found
  end
  local this = { paths = paths, pattern = pattern }
  last = this
  chat_paths.in_slices(function()
    return chat_paths.match(paths, pattern, limit, function()
      return last == this
    end)
  end, function(found)
    this.found = found
    if last == this and this.on_done then
      this.on_done()
    end
  end)
  this.on_done = on_done
  return this.found
end

return M
