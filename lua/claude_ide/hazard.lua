--- Texts from outside that must not get to a parser: they would end Neovim, keep it busy, or write
--- to the terminal.
local M = {}

-- Markdown's parser keeps the open blocks in a buffer that ends after 254 of them.
local MOST_MARKERS = 50
local MOST_TOKENS = 200 -- signs before a line's first word
local LARGEST_FILE = 2e6 -- bytes
local LARGEST = 1e6
local LARGEST_MARKDOWN = 1e5
local LONGEST_LINE = 5000
local MOST_BRACKETS = 500 -- open at the same time
local LONGEST_PARAGRAPH = 8000 -- bytes, of Markdown
local MOST_DELIMITERS = 1500 -- of emphasis and links in it

local TAB = 4

local function width(blanks, column)
  for blank in blanks:gmatch('.') do
    column = blank == '\t' and column + TAB - column % TAB or column + 1
  end
  return column
end

-- The next sign before a line's first word, and whether it can begin a block.
---@return integer? at where it ends
---@return boolean? is_marker
local function next_sign(line, at)
  local stop = line:match('^>()', at) or line:match('^%d+[.)]()%f[%s%z]', at)
  if stop then
    return stop, true
  end
  stop = line:match('^[^%w%s>\128-\255]+()', at)
  local is_marker = stop and line:find('^[-*+]', stop - 1) and line:find('^%f[%s%z]', stop)
  return stop, is_marker ~= nil and is_marker ~= false
end

-- The columns of the markers that a line begins with, comment signs before them included.
---@return integer[]? columns nil for too many
local function markers(line)
  local columns, at, column = {}, 1, 0
  for _ = 1, MOST_TOKENS do
    local blanks, behind = line:match('^([ \t]*)()', at)
    column = width(blanks, column)
    local stop, is_marker = next_sign(line, behind)
    if not stop then
      return columns
    end
    if is_marker then
      columns[#columns + 1] = column
    end
    column, at = column + stop - behind, stop
  end
end

-- Those that may still be open behind a line: blocks nest by being further to the right.
local function still_open(open, columns)
  local last, merged = columns[#columns], {}
  for _, column in ipairs(open) do
    if column < last then
      merged[column] = true
    end
  end
  for _, column in ipairs(columns) do
    merged[column] = true
  end
  local found = vim.tbl_keys(merged)
  table.sort(found)
  return found
end

local IN_A_ROW = ('[>*+.)-][%s%d]*'):rep(4)

-- Markers in a row anywhere: text inside a string may be Markdown, too.
local function has_row(line)
  if not line:find(IN_A_ROW) then
    return false
  end
  for row in line:gmatch('[%s%d>*+.)-]+') do
    if #row > MOST_MARKERS then
      local _, quotes = row:gsub('>', '')
      local _, items = row:gsub('[-*+.)]%f[%s%z]', '')
      if quotes + items > MOST_MARKERS then
        return true
      end
    end
  end
  return false
end

local WORD_FIRST = '^[ \t]*[%a_\128-\255]'
local NONE = {}

local function is_nested(text)
  local open = {}
  for line in text:gmatch('[^\r\n]+') do
    local columns = line:find(WORD_FIRST) and NONE or markers(line)
    if not columns or #columns > MOST_MARKERS then
      return true
    elseif #line > MOST_MARKERS and has_row(line) then
      return true
    elseif #columns > 0 then
      open = still_open(open, columns)
      if #open > MOST_MARKERS then
        return true
      end
    end
  end
  return false
end

-- A link's address gets to the terminal as it is.
local function has_control(text)
  return text:find('[%z\1-\8\11\14-\31\127]') ~= nil
    or text:find('\194[\128-\159]') ~= nil
    or text:find('[%z\1-\127][\128-\159]') ~= nil
    or text:find('^[\128-\159]') ~= nil
end

--- Why a text would end Neovim or write to the terminal, or takes too long to be looked at.
---@param text string
---@return string? reason
function M.fatal(text)
  if #text > LARGEST_FILE then
    return 'its size'
  elseif is_nested(text) then
    return ('more than %d nested blocks'):format(MOST_MARKERS)
  elseif has_control(text) then
    return 'control characters'
  end
end

local function longest_line(text)
  local longest, first = 0, 1
  while first <= #text do
    local stop = text:find('\n', first, true) or #text + 1
    longest = math.max(longest, stop - first)
    first = stop + 1
  end
  return longest
end

local function has_deep_brackets(text)
  local depth = 0
  for bracket in text:gmatch('[][(){}]') do
    depth = math.max(0, depth + (bracket:find('[[({]') and 1 or -1))
    if depth > MOST_BRACKETS then
      return true
    end
  end
  return false
end

local function begins_paragraph(line)
  return not line:find('%S') or line:find('^ ? ? ?[-*+] +%S') ~= nil
end

-- What Markdown's second parser gets at once; it takes the square of the length.
local function has_long_paragraph(text)
  local size, count = 0, 0
  for line in text:gmatch('[^\r\n]*\r?\n?') do
    if begins_paragraph(line) then
      size, count = 0, 0
    end
    size, count = size + #line, count + select(2, line:gsub('[][*_`~!<$]', ''))
    if size > LONGEST_PARAGRAPH or count > MOST_DELIMITERS then
      return true
    end
  end
  return false
end

--- Why a text must not be parsed: also because of the time that it would take.
---@param text string
---@param language? string of its parser
---@return string? reason
function M.find(text, language)
  local is_markdown = language == 'markdown'
  if #text > (is_markdown and LARGEST_MARKDOWN or LARGEST) then
    return 'its size'
  elseif longest_line(text) > LONGEST_LINE then
    return 'a very long line'
  elseif has_deep_brackets(text) then
    return 'deeply nested brackets'
  elseif is_markdown and has_long_paragraph(text) then
    return 'a very long paragraph'
  end
  return M.fatal(text)
end

--- Why a file must not be parsed.
---@param path string
---@return string? reason
function M.of_file(path)
  local stat = vim.uv.fs_stat(path)
  if not stat or stat.type ~= 'file' then
    return nil
  elseif stat.size > LARGEST_FILE then
    return 'its size'
  end
  local file = io.open(path, 'rb')
  local text = file and file:read('*a')
  if file then
    file:close()
  end
  return text and M.fatal(text) or nil
end

return M
