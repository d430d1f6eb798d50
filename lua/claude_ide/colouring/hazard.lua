--- Recognizes texts that must not reach a parser: they would crash Neovim, keep it busy, or write to
--- the terminal.
local M = {}

-- Markdown's parser overflows a buffer when more than 254 blocks are open.
local MOST_MARKERS = 50
local MOST_TOKENS = 200 -- signs before a line's first word
--- The most bytes of a text in one of our buffers that are examined.
---@type number
M.LARGEST = 5e5
local LARGEST_FILE = 2e6
local LARGEST_MARKDOWN = 1e5
local LONGEST_LINE = 5000
local MOST_BRACKETS = 500 -- open at the same time
local LONGEST_PARAGRAPH = 8000 -- bytes, in Markdown
local MOST_DELIMITERS = 1500 -- of emphasis and links in a paragraph

-- What is examined between two calls of `pause`.
local BYTES, LINES = 20000, 500

local TAB = 4

local function go_on() end

-- Call `pause` after some lines.
local function pausing(lines, pause)
  local count = 0
  return function(...)
    count = count + 1
    if count % LINES == 0 then
      pause()
    end
    return lines(...)
  end
end

local function width(blanks, column)
  for blank in blanks:gmatch('.') do
    column = blank == '\t' and column + TAB - column % TAB or column + 1
  end
  return column
end

-- The next sign before a line's first word, and whether it can begin a block.
---@return integer? stop the index after it
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

-- The columns of the block markers at the beginning of a line, which may come after comment signs.
---@return integer[]? columns nil if there are too many
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

-- The blocks that may still be open after a line, by their columns. A nested block is further to the
-- right.
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

-- Whether a line has many markers in a row, in any column: a string may contain Markdown.
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

local function is_nested(text, pause)
  local open = {}
  for line in pausing(text:gmatch('[^\r\n]+'), pause) do
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

local LINE_FEED, CARRIAGE_RETURN, FORM_FEED, TABULATOR = 10, 13, 12, 9
local OPENING = { [('('):byte()] = true, [('['):byte()] = true, [('{'):byte()] = true }
local CLOSING = { [(')'):byte()] = true, [(']'):byte()] = true, [('}'):byte()] = true }

-- Control characters are dangerous because Neovim sends a link's address to the terminal unchanged.
local function is_control(byte, text, at)
  if byte < 32 then
    return byte ~= FORM_FEED and byte ~= TABULATOR
  elseif byte < 127 then
    return false
  elseif byte < 160 and byte > 127 then
    local previous = at > 1 and text:byte(at - 1) or 0
    return previous < 128 or previous == 194
  end
  return byte == 127
end

---@class claude_ide.Survey
---@field line integer bytes of the longest line
---@field brackets integer the most that are open at the same time
---@field run integer the longest run of bytes in a line without a letter
---@field has_control boolean

-- One pass over the bytes, checking for letters first: patterns take twenty times as long.
---@return claude_ide.Survey
local function survey(text, pause)
  local start, longest, depth, deepest, run, farthest = 0, 0, 0, 0, 0, 0
  local has_control = false
  for first = 1, #text, BYTES do
    for at = first, math.min(first + BYTES - 1, #text) do
      local byte = text:byte(at)
      if (byte >= 97 and byte <= 122) or (byte >= 65 and byte <= 90) then
        run = 0
      elseif byte == LINE_FEED then
        longest = math.max(longest, at - start)
        start, run = at, 0
      elseif byte == CARRIAGE_RETURN then
        run = 0
      else
        run = run + 1
        farthest = math.max(farthest, run)
        if OPENING[byte] then
          depth = depth + 1
          deepest = math.max(deepest, depth)
        elseif CLOSING[byte] then
          depth = math.max(0, depth - 1)
        else
          has_control = has_control or is_control(byte, text, at)
        end
      end
    end
    pause()
  end
  longest = math.max(longest, #text - start)
  return { line = longest, brackets = deepest, run = farthest, has_control = has_control }
end

-- Each level of nesting needs at least one character, or a tab of four columns. Without a run of this
-- length, the blocks are too few to overflow Markdown's parser.
local FAR_RIGHT = 40

---@param text string
---@param found claude_ide.Survey
---@param pause fun()
---@return string? reason
local function fatal(text, found, pause)
  if found.run >= FAR_RIGHT and is_nested(text, pause) then
    return ('more than %d nested blocks'):format(MOST_MARKERS)
  elseif found.has_control then
    return 'control characters'
  end
end

--- Whether a text is too large to be examined for what would crash Neovim.
---@param size integer bytes
---@return boolean
function M.is_large(size)
  return size > LARGEST_FILE
end

--- Why a text would crash Neovim, would write to the terminal, or is too large to examine; nil if it
--- is safe.
---@param text string
---@return string? reason
function M.fatal(text)
  if #text > LARGEST_FILE then
    return 'its size'
  end
  return fatal(text, survey(text, go_on), go_on)
end

local function begins_paragraph(line)
  return not line:find('%S') or line:find('^ ? ? ?[-*+] +%S') ~= nil
end

-- Markdown's inline parser gets a whole paragraph at a time, and needs quadratic time.
local function has_long_paragraph(text, pause)
  local size, count = 0, 0
  for line in pausing(text:gmatch('[^\r\n]*\r?\n?'), pause) do
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

--- Why a text must not be parsed, for the reasons of `fatal` or because it would take too long.
---@param text string
---@param language? string the parser's
---@param size? integer bytes of the text, if the caller passes only a part because it is too large
---@param pause? fun() called every few milliseconds
---@return string? reason
function M.find(text, language, size, pause)
  pause = pause or go_on
  local is_markdown = language == 'markdown'
  if (size or #text) > (is_markdown and LARGEST_MARKDOWN or M.LARGEST) then
    return 'its size'
  end
  local found = survey(text, pause)
  if found.line > LONGEST_LINE then
    return 'a very long line'
  elseif found.brackets > MOST_BRACKETS then
    return 'deeply nested brackets'
  elseif is_markdown and has_long_paragraph(text, pause) then
    return 'a very long paragraph'
  end
  return fatal(text, found, pause)
end

--- Why a file must not be parsed; nil if it is safe or cannot be read.
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
