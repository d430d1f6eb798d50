--- Turns globs, as in `.gitignore`, into matchers of absolute paths. Case never counts: on some file
--- systems `.ENV` is `.env`.
local M = {}

-- Each is at its place in a very nomagic regular expression. A name may contain a line break.
local WITHIN_NAME = [=[\_[^/]]=]
local ANY_FOLDERS = [[\%(\_.\*/\)\?]]
-- The engine whose time grows with the length of the path only; 'regexpengine' may choose the other one.
local INTRO = [[\%#=2\V\c]]

local function literal(text)
  return (text:gsub('\\', [[\\]]))
end

-- The members of a set without the slash. A lookahead would exclude it, too, but takes a thousand times as
-- long.
local function without_slash(members)
  local function range(first, last)
    return first < last and first .. '-' .. last or first == last and first or ''
  end
  local plain = members:gsub('(.)%-(.)', function(first, last)
    -- After the slash comes the zero.
    if first <= '/' and last >= '/' then
      return range(first, '.') .. range('0', last)
    end
  end)
  plain = plain:gsub('/', '')
  return plain ~= '' and plain or members
end

-- A set of characters, such as `[!a-z]`; nil if it never ends.
---@return string? regex
---@return integer? last index of its `]`
local function set_at(glob, first)
  local negation, from = glob:match('^%[([!^]?)()', first)
  local last = glob:find(']', from + 1, true)
  if not last then
    return nil
  end
  local given = glob:sub(from, last - 1)
  local members = negation == '' and without_slash(given) or given .. '/'
  members = members:gsub('[%]\\^]', [[\%0]])
  return ([=[\_[%s%s]]=]):format(negation ~= '' and '^' or '', members), last
end

-- The end of `{a,b}` that begins at an index, and what is inside.
local function braces_at(glob, first)
  local inside = glob:match('^{([^{}]*,[^{}]*)}', first)
  return inside, inside and first + #inside + 1
end

local translate

-- The regular expression of what begins at an index, and the index of its last character.
local function item_at(glob, index)
  local letter = glob:sub(index, index)
  if glob:find('^%*%*/', index) and (index == 1 or glob:sub(index - 1, index - 1) == '/') then
    return ANY_FOLDERS, index + 2
  elseif letter == '*' then
    local last = select(2, glob:find('^%*+', index))
    return last > index and [[\_.\*]] or WITHIN_NAME .. [[\*]], last
  elseif letter == '?' then
    return WITHIN_NAME, index
  elseif letter == '[' then
    local regex, last = set_at(glob, index)
    return regex or '[', last or index
  elseif letter == '{' then
    local inside, last = braces_at(glob, index)
    local parts = vim.tbl_map(function(part)
      return translate(part)
    end, inside and vim.split(inside, ',', { plain = true }) or {})
    return inside and ([[\%%(%s\)]]):format(table.concat(parts, [[\|]])) or '{', last or index
  elseif letter == '\\' and index < #glob then
    return literal(glob:sub(index + 1, index + 1)), index + 1
  end
  return literal(letter), index
end

translate = function(glob)
  local parts, index = {}, 1
  while index <= #glob do
    local regex, last = item_at(glob, index)
    parts[#parts + 1] = regex
    index = last + 1
  end
  return table.concat(parts)
end

-- A folder's path as the beginning of another path; '' and '/' are the root.
local function beginning(folder)
  return literal((folder:gsub('/+$', ''))) .. '/'
end

--- The regular expression of the paths that a glob matches in a folder: those of files, and of folders with
--- all that is in them. A glob without a slash, except at its end, matches at any depth.
---@param glob string
---@param folder string
---@return string
function M.regex(glob, folder)
  while vim.startswith(glob, '../') do
    glob, folder = glob:sub(4), vim.fs.dirname(folder)
  end
  local plain = glob:gsub('^%./', ''):gsub('/+$', '')
  -- What is in a folder is named by the folder, too.
  plain = plain:gsub('/%*%*$', '')
  local is_anchored = glob:gsub('^%./', ''):gsub('/+$', ''):find('/', 1, true) ~= nil
  plain = plain:gsub('^/+', '')
  if plain == '' or plain == '**' or plain == '*' then
    return ([[\^%s]]):format(beginning(folder))
  end
  local is_deep = not is_anchored
  if vim.startswith(plain, '**/') then
    plain, is_deep = plain:gsub('^[*/]+/', ''), true
  end
  local body = translate(plain) .. [[\%(/\|\$\)]]
  if is_deep and folder:find('^/*$') then
    return '/' .. body -- without a beginning, which would have to be tried at each slash
  end
  return ([[\^%s%s%s]]):format(beginning(folder), is_deep and ANY_FOLDERS or '', body)
end

---@class claude_ide.PatternPlaces
---@field rooted string[] the folders of a pattern that begins with `/`
---@field relative string[] those of any other pattern
---@field is_everywhere boolean whether a pattern for any depth holds in every folder

-- Both spellings of a folder: a path may be given with its links or without them.
local function spellings(folder)
  local real = vim.uv.fs_realpath(folder)
  return real and real ~= folder and { folder, real } or { folder }
end

local function regexes_in(folders, pattern)
  local found = {}
  for _, folder in ipairs(folders) do
    for _, spelling in ipairs(spellings(folder)) do
      found[#found + 1] = M.regex(pattern, spelling)
    end
  end
  return found
end

--- The regular expressions of a pattern in the syntax of the CLI's rules: `//` begins an absolute path, and
--- `~/` one in the home directory.
---@param pattern string
---@param places claude_ide.PatternPlaces
---@return string[]
function M.regexes(pattern, places)
  if vim.startswith(pattern, '//') then
    return { M.regex(pattern:sub(2), '/') }
  elseif vim.startswith(pattern, '~/') then
    return regexes_in({ vim.fs.normalize('~') }, pattern:sub(2))
  elseif vim.startswith(pattern, '/') then
    return regexes_in(places.rooted, pattern)
  end
  local plain = pattern:gsub('^%./', ''):gsub('/+$', '')
  local is_deep = vim.startswith(plain, '**/') or not plain:find('/', 1, true)
  return regexes_in(is_deep and places.is_everywhere and { '/' } or places.relative, pattern)
end

--- A function that tells whether a path matches one of these regular expressions.
---
--- Raises an error if one is none.
---@param regexes string[]
---@return fun(path: string): boolean
function M.matcher(regexes)
  if #regexes == 0 then
    return function()
      return false
    end
  end
  local regex = vim.regex(INTRO .. table.concat(regexes, [[\|]]))
  return function(path)
    return regex:match_str(path) ~= nil
  end
end

return M
