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
local on_read ---@type fun(bufnr: integer)
local is_watching = false

-- Watch for files to be opened, while any is kept.
local function watch()
  local is_needed = next(files) ~= nil
  if is_needed == is_watching then
    return
  end
  is_watching = is_needed
  local group = vim.api.nvim_create_augroup('claude_ide_unseen_files', { clear = true })
  if is_needed then
    vim.api.nvim_create_autocmd('BufReadPost', {
      group = group,
      callback = function(event)
        on_read(event.buf)
      end,
    })
  end
end

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
  watch()
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
  watch()
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
function M.remove(path, lines, first, last)
  if not M.has(path) then
    return
  end
  local rows = M.take(path, lines)
  for row in pairs(rows) do
    rows[row] = (row < first or row >= last) and rows[row] or nil
  end
  put(real(path), lines, rows)
end

--- Forget a file: it has been deleted.
---@param path string
function M.forget(path)
  files[real(path)] = nil
  watch()
end

--- Forget all files.
---@return integer count of their rows
function M.clear()
  local count = vim.iter(files):fold(0, function(sum, _, file)
    return sum + vim.tbl_count(file.rows)
  end)
  files = {}
  watch()
  return count
end

--- Call `fn` with each buffer that has read a file, while any is kept.
---@param fn fun(bufnr: integer)
function M.when_read(fn)
  on_read = fn
end

--- The paths of the files.
---@return string[]
function M.paths()
  return vim.tbl_keys(files)
end

return M
