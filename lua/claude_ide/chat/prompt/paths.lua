--- Very many paths in little memory, and those that match a pattern. Everything yields while it works, in
--- a coroutine, so that a repository of any size delays no key.
local M = {}

local SLICE = 3e6 -- nanoseconds
local CHUNK = 500 -- paths
local RANKED = 2000 -- paths; ranking more would delay a key press
local NONE = math.huge

---@class claude_ide.Paths
---@field chunks { text: string, lower?: string }[] some hundred paths each, each path with a NUL after it
---@field size integer bytes
---@field open string[] the paths of the next chunk
---@field folder string the folder of the last path
---@field folders? table<string, true> those that were added; nil when the list is complete

--- An empty list.
---@return claude_ide.Paths
function M.new()
  return { chunks = {}, size = 0, open = {}, folder = '', folders = {} }
end

local until_time = 0

--- Yield at the end of a slice, or to wait.
---@param milliseconds integer to wait
function M.pause(milliseconds)
  if milliseconds > 0 or vim.uv.hrtime() > until_time then
    coroutine.yield(milliseconds)
  end
end

--- Run a function that yields: its first slice at once, the others when Neovim is free.
---@param fn fun(): any
---@param on_end fun(result: any)
function M.in_slices(fn, on_end)
  local task = coroutine.create(fn)
  local function step()
    until_time = vim.uv.hrtime() + SLICE
    local ok, result = coroutine.resume(task)
    if not ok then
      error(result, 0)
    elseif coroutine.status(task) == 'dead' then
      on_end(result)
    else
      vim.defer_fn(step, math.max(1, result))
    end
  end
  step()
end

local function flush(list)
  if #list.open > 0 then
    list.open[#list.open + 1] = ''
    table.insert(list.chunks, { text = table.concat(list.open, '\0') })
    list.open = {}
    M.pause(0)
  end
end

local function insert(list, path)
  list.open[#list.open + 1] = path
  list.size = list.size + #path + 1
end

local function add_folders(list, folder)
  while folder and not list.folders[folder] do
    list.folders[folder] = true
    insert(list, folder .. '/')
    folder = folder:match('^(.*)/')
  end
end

--- Add a path, and the folders above it. May yield.
---@param list claude_ide.Paths
---@param path string
function M.add(list, path)
  if path == '' then
    return
  end
  local folder = path:match('^(.*)/')
  if folder ~= list.folder then
    list.folder = folder
    add_folders(list, folder)
  end
  insert(list, path)
  if #list.open >= CHUNK then
    flush(list)
  end
end

--- Note that no path will be added. May yield.
---@param list claude_ide.Paths
function M.complete(list)
  flush(list)
  list.folders = nil
end

--- The first paths.
---@param list claude_ide.Paths
---@param limit integer
---@return string[]
function M.first(list, limit)
  local found = {}
  for _, chunk in ipairs(list.chunks) do
    for path in chunk.text:gmatch('%Z+') do
      if #found >= limit then
        return found
      end
      found[#found + 1] = path
    end
  end
  return found
end

-- Whether the letters follow each other before `stop`. `at` has the position of the next one of each, so
-- that a letter that is rare is not searched again for each path.
local function has_letters(text, letters, at, start, stop)
  local position = start - 1
  for index, letter in ipairs(letters) do
    if at[index] <= position then
      at[index] = text:find(letter, position + 1, true) or NONE
    end
    position = at[index]
    if position >= stop then
      return false
    end
  end
  return true
end

---@param chunk { text: string, lower?: string }
---@param wanted string in lower case
---@param letters string[]
---@param whole string[] paths that contain it
---@param scattered string[] other paths that contain its letters in this order
local function search(chunk, wanted, letters, whole, scattered)
  local text, start = chunk.lower or chunk.text:lower(), 1
  chunk.lower = text
  local next_whole = text:find(wanted, 1, true) or NONE
  local at = vim.tbl_map(function()
    return 0
  end, letters)
  while next_whole < NONE or #scattered < RANKED do
    local stop = text:find('\0', start, true)
    if not stop or #whole >= RANKED then
      return
    end
    if next_whole < stop then
      whole[#whole + 1] = chunk.text:sub(start, stop - 1)
      next_whole = text:find(wanted, stop + 1, true) or NONE
    elseif #scattered < RANKED and has_letters(text, letters, at, start, stop) then
      scattered[#scattered + 1] = chunk.text:sub(start, stop - 1)
    end
    start = stop + 1
  end
end

--- The paths that match a pattern fuzzily. Yields.
---@param list claude_ide.Paths complete
---@param pattern string not empty
---@param limit integer
---@param is_wanted fun(): boolean
---@return string[]? matches best first; nil if they are no longer wanted
function M.match(list, pattern, limit, is_wanted)
  local wanted = pattern:lower()
  local letters = vim.split(wanted, '')
  local whole, scattered = {}, {}
  for _, chunk in ipairs(list.chunks) do
    search(chunk, wanted, letters, whole, scattered)
    if #whole >= RANKED then
      break
    end
    M.pause(0)
    if not is_wanted() then
      return nil
    end
  end
  local candidates = vim.list_extend(whole, scattered, 1, math.max(0, RANKED - #whole))
  M.pause(0)
  return vim.fn.matchfuzzy(candidates, pattern, { limit = limit })
end

return M
