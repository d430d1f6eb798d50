--- Lines that an agent has written in files that are not loaded. Each file is kept with its text, which
--- tells where the lines are once it is opened.
local written_rows = require('claude_ide.unseen.rows')

local M = {}

local MOST_FILES = 500
local MOST_KEPT = 16 * 1024 * 1024 -- bytes of all texts together

---@class claude_ide.UnseenFile
---@field lines string[]
---@field rows claude_ide.WrittenRows
---@field size integer bytes
---@field age integer

local files = {} ---@type table<string, claude_ide.UnseenFile> by real path
local latest = 0

-- The path of a file without links, or as it is if there is no file.
---@param path string
---@return string
local function real(path)
  return vim.uv.fs_realpath(path) or path
end

local function size_of(lines)
  local size = 0
  for _, line in ipairs(lines) do
    size = size + #line + 1
  end
  return size
end

local function forget_oldest()
  local count, size = 0, 0
  for _, file in pairs(files) do
    count, size = count + 1, size + file.size
  end
  while count > 1 and (count > MOST_FILES or size > MOST_KEPT) do
    local oldest
    for path, file in pairs(files) do
      if not oldest or file.age < files[oldest].age then
        oldest = path
      end
    end
    count, size = count - 1, size - files[oldest].size
    files[oldest] = nil
  end
end

---@param path string real
local function put(path, lines, rows)
  latest = latest + 1
  files[path] = next(rows) and { lines = lines, rows = rows, size = size_of(lines), age = latest }
    or nil
  forget_oldest()
end

--- Keep rows of a file, in addition to those that are kept already.
---@param path string
---@param lines string[] the text
---@param rows claude_ide.WrittenRows
function M.add(path, lines, rows)
  path = real(path)
  local known = files[path]
  local all = known and written_rows.shifted(known.rows, known.lines, lines) or {}
  put(path, lines, vim.tbl_extend('force', all, rows))
end

--- Return the rows of a file in its present text, and forget them: a buffer has them now.
---@param path string
---@param lines string[]
---@return claude_ide.WrittenRows
function M.take(path, lines)
  path = real(path)
  local known = files[path]
  files[path] = nil
  return known and written_rows.shifted(known.rows, known.lines, lines) or {}
end

--- Whether rows of a file are kept.
---@param path string
---@return boolean
function M.has(path)
  return next(files) ~= nil and files[real(path)] ~= nil
end

--- Forget rows of a file: the user has seen them.
---@param path string
---@param lines string[] the text whose rows these are
---@param first integer
---@param last integer exclusive
---@return integer count of forgotten rows
function M.remove(path, lines, first, last)
  local rows, count = M.take(path, lines), 0
  for row in pairs(rows) do
    if row >= first and row < last then
      rows[row], count = nil, count + 1
    end
  end
  put(real(path), lines, rows)
  return count
end

--- Forget a file: it has been deleted.
---@param path string
function M.forget(path)
  files[real(path)] = nil
end

--- Forget all files.
---@return integer count of their rows
function M.clear()
  local count = vim.iter(files):fold(0, function(sum, _, file)
    return sum + vim.tbl_count(file.rows)
  end)
  files = {}
  return count
end

--- The paths of the files.
---@return string[]
function M.paths()
  return vim.tbl_keys(files)
end

return M
