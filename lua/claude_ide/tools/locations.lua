--- Turns the locations of language servers into places as a model counts them.
local buffers = require('claude_ide.file.buffers')
local slices = require('claude_ide.when.slices')

local M = {}

local api = vim.api

---@class claude_ide.Place
---@field path string
---@field line integer 1-based
---@field column integer characters, 1-based
---@field text string the line, without its indent

---@class claude_ide.Places
---@field total integer
---@field files integer
---@field places claude_ide.Place[] the wanted part

-- A `Location` or a `LocationLink` as `{ path, range, encoding }`.
local function plain(location, encoding)
  local uri = location.uri or location.targetUri
  local range = location.range or location.targetSelectionRange or location.targetRange
  local path = vim.startswith(uri, 'file:') and vim.uri_to_fname(uri) or uri
  return { path = path, range = range, encoding = encoding }
end

local function key(location)
  local start = location.range.start
  return ('%s\0%d\0%d'):format(location.path, start.line, start.character)
end

-- All locations, without those that two servers give, in the order of paths and positions.
---@param answers claude_ide.ServerAnswer[]
local function collect(answers)
  local found, known = {}, {}
  for _, answer in ipairs(answers) do
    local list = vim.islist(answer.result) and answer.result or { answer.result }
    for _, location in ipairs(list) do
      local one = plain(location, answer.client.offset_encoding)
      if not known[key(one)] then
        known[key(one)] = true
        found[#found + 1] = one
      end
    end
  end
  table.sort(found, function(a, b)
    local first, second = a.range.start, b.range.start
    if a.path ~= b.path then
      return a.path < b.path
    elseif first.line ~= second.line then
      return first.line < second.line
    end
    return first.character < second.character
  end)
  return found
end

-- A function that returns a line of a file: of its buffer, saved or not, otherwise of the disk.
local function reader()
  local lines_of = {} ---@type table<string, string[]>
  return function(path, row)
    local found = buffers.find(path)
    if found and found.loaded then
      return api.nvim_buf_get_lines(found.bufnr, row, row + 1, false)[1] or ''
    end
    if not lines_of[path] then
      local ok, lines = pcall(vim.fn.readfile, path)
      lines_of[path] = ok and lines or {}
    end
    return (lines_of[path][row + 1] or ''):gsub('\r$', '')
  end
end

local function count_files(found)
  local paths = {}
  for _, one in ipairs(found) do
    paths[one.path] = true
  end
  return vim.tbl_count(paths)
end

--- Describe the wanted part of the locations.
---@param answers claude_ide.ServerAnswer[]
---@param part { offset?: integer, limit?: integer }
---@param answer fun(places: claude_ide.Places)
function M.describe(answers, part, answer)
  local found = collect(answers)
  local offset = part.offset or 0
  local wanted = vim.list_slice(found, offset + 1, offset + (part.limit or #found))
  local line_at, places = reader(), {}
  slices.each(wanted, function(one)
    local start = one.range.start
    local text = line_at(one.path, start.line)
    local col = vim.str_byteindex(text, one.encoding, start.character, false)
    places[#places + 1] = {
      path = one.path,
      line = start.line + 1,
      column = vim.str_utfindex(text, 'utf-32', col, false) + 1,
      text = vim.trim(text),
    }
  end, function()
    answer({ total = #found, files = count_files(found), places = places })
  end)
end

return M
