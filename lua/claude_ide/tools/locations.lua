--- Turns the locations of language servers into places as a model counts them.
local slices = require('claude_ide.when.slices')
local source = require('claude_ide.tools.source')

local M = {}

-- Characters. The host cuts a longer answer.
local LONGEST = 23000

---@class claude_ide.FoundLocation
---@field path string of a file, otherwise a URI
---@field range lsp.Range
---@field encoding string
---@field rank integer of the server

---@class claude_ide.Place
---@field path string
---@field line integer 1-based
---@field column integer characters, 1-based
---@field text string the line, without its indent

---@class claude_ide.PlacesInFile
---@field path string
---@field rows string[] `line:column: text` of each place; line and column as in `claude_ide.Place`

---@class claude_ide.Places: claude_ide.Asked
---@field total integer
---@field files integer
---@field groups claude_ide.PlacesInFile[] the wanted part

local function is_position(value)
  return type(value) == 'table'
    and type(value.line) == 'number'
    and type(value.character) == 'number'
end

--- Whether a value of a server is a range.
---@param range any
---@return boolean
function M.is_range(range)
  return type(range) == 'table' and is_position(range.start) and is_position(range['end'])
end

--- The path of a URI; the URI itself if it names no file, such as that of a class in an archive.
---@param uri any
---@return string?
function M.path(uri)
  if type(uri) ~= 'string' then
    return nil
  end
  local ok, path = pcall(vim.uri_to_fname, uri)
  return ok and vim.startswith(uri, 'file:') and path or uri
end

-- A `Location` or a `LocationLink`; nil for anything else.
local function plain(location, encoding, rank, path_of)
  if type(location) ~= 'table' then
    return nil
  end
  local path = path_of(location.uri or location.targetUri)
  local range = location.range
  range = M.is_range(range) and range or location.targetSelectionRange
  range = M.is_range(range) and range or location.targetRange
  if not path or not M.is_range(range) then
    return nil
  end
  return { path = path, range = range, encoding = encoding, rank = rank }
end

-- A function like `path`, for many locations in few files.
local function path_cache()
  local paths = {} ---@type table<string, string>
  return function(uri)
    local known = paths[uri or false]
    if not known and uri then
      known = M.path(uri)
      paths[uri] = known
    end
    return known
  end
end

--- Whether a location comes before another one in the same file.
---@param a claude_ide.FoundLocation
---@param b claude_ide.FoundLocation
function M.is_before(a, b)
  local first, second = a.range.start, b.range.start
  if first.line ~= second.line then
    return first.line < second.line
  end
  return first.character < second.character
end

-- Most servers answer in order; sorting many would block Neovim.
local function sort(list)
  for index = 2, #list do
    if M.is_before(list[index], list[index - 1]) then
      return table.sort(list, M.is_before)
    end
  end
end

-- Two servers may give the same place: one the name, the other the whole definition. Some of them
-- count characters in their own way, which moves the name a little.
local function is_same(a, b)
  if a.rank == b.rank then
    return not M.is_before(a, b)
  end
  local first, second = a.range, b.range
  return first.start.line == second.start.line
    and (
      not M.is_before(a, b)
      or first['end'].line > second.start.line
      or first['end'].character > second.start.character
    )
end

-- Of the same places the first server's stays.
local function without_duplicates(list)
  local kept = {}
  for _, one in ipairs(list) do
    local last = kept[#kept]
    if not last or not is_same(last, one) then
      kept[#kept + 1] = one
    elseif one.rank < last.rank then
      kept[#kept] = one
    end
  end
  return kept
end

-- Count characters in bytes, so that the locations of servers that count differently can be compared.
local function to_bytes(list)
  local line_at = source.reader()
  for _, one in ipairs(list) do
    if one.encoding ~= 'utf-8' then
      local start = one.range.start
      local text, finish = line_at(one.path, start.line), one.range['end']
      local col = source.byte(text, start.character, one.encoding)
      local last = finish.line == start.line and source.byte(text, finish.character, one.encoding)
      one.range = {
        start = { line = start.line, character = col },
        ['end'] = { line = finish.line, character = last or finish.character },
      }
      one.encoding = 'utf-8'
    end
  end
end

-- All locations of the answers, by path.
local function gather(answers, done)
  local by_path, path_of = {}, path_cache()
  local index, position, list = 0, 0, {}
  slices.steps(function()
    position = position + 1
    while position > #list do
      index, position = index + 1, 1
      if not answers[index] then
        return false
      end
      local result = answers[index].result
      list = vim.islist(result) and result or { result }
    end
    local encoding = answers[index].client.offset_encoding
    local one = plain(list[position], encoding, index, path_of)
    if one then
      by_path[one.path] = by_path[one.path] or {}
      table.insert(by_path[one.path], one)
    end
    return true
  end, function()
    done(by_path)
  end)
end

local function is_mixed(answers)
  return vim.iter(answers):any(function(answer)
    return answer.client.offset_encoding ~= answers[1].client.offset_encoding
  end)
end

--- All locations, without those that two servers give, in the order of paths and positions.
---@param answers claude_ide.ServerAnswer[]
---@param done fun(locations: claude_ide.FoundLocation[], files: integer)
function M.collect(answers, done)
  gather(answers, function(by_path)
    local found, paths, has_mixed = {}, vim.tbl_keys(by_path), is_mixed(answers)
    table.sort(paths)
    slices.each(paths, function(path)
      local list = by_path[path]
      if has_mixed then
        sort(list)
        to_bytes(list)
      end
      sort(list)
      vim.list_extend(found, without_duplicates(list))
    end, function()
      done(found, #paths)
    end)
  end)
end

--- A function from a location to its place.
---@return fun(location: claude_ide.FoundLocation): claude_ide.Place
function M.describer()
  local line_at = source.reader()
  return function(one)
    local start = one.range.start
    local text = line_at(one.path, start.line)
    local col = source.byte(text, start.character, one.encoding)
    return {
      path = one.path,
      line = start.line + 1,
      column = source.column(text, start.character, one.encoding),
      text = source.excerpt(text, col),
    }
  end
end

--- The part of a list that a model asks for.
---@generic T
---@param list T[]
---@param part { offset?: integer, limit?: integer }
---@return T[]
function M.part(list, part)
  local offset = part.offset or 0
  return vim.list_slice(list, offset + 1, offset + (part.limit or #list))
end

-- A place as a model reads it, below the path.
local function row_of(one, line_at)
  local start = one.range.start
  local text = line_at(one.path, start.line)
  local col = source.byte(text, start.character, one.encoding)
  local column = source.column(text, start.character, one.encoding)
  return ('%d:%d: %s'):format(start.line + 1, column, source.excerpt(text, col))
end

--- Describe the wanted part of the locations, as far as it fits into an answer.
---@param answers claude_ide.ServerAnswer[]
---@param asked claude_ide.Asked
---@param part { offset?: integer, limit?: integer }
---@param answer fun(places: claude_ide.Places)
function M.describe(answers, asked, part, answer)
  M.collect(answers, function(found, files)
    local line_at, groups, group = source.reader(), {}, {}
    local wanted, shown, length = M.part(found, part), 0, 0
    slices.steps(function()
      local one = wanted[shown + 1]
      if not one or length > LONGEST then
        return false
      end
      if one.path ~= group.path then
        group = { path = one.path, rows = {} }
        groups[#groups + 1] = group
        length = length + #one.path
      end
      local row = row_of(one, line_at)
      group.rows[#group.rows + 1] = row
      shown, length = shown + 1, length + #row
      return true
    end, function()
      local facts = { total = #found, files = files, groups = groups }
      answer(vim.tbl_extend('error', facts, asked))
    end)
  end)
end

return M
