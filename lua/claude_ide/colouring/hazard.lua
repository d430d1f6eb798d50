--- Recognizes texts that must not reach a parser: they would crash Neovim, keep it busy, or write to
--- the terminal.
local M = {}

--- The most bytes of a text in one of our buffers that are examined.
---@type number
M.LARGEST = 5e5
local LARGEST_FILE = 2e6
local LARGEST_MARKDOWN = 1e5
local LONGEST_LINE = 5000
local MOST_BRACKETS = 500 -- open at the same time
local LONGEST_PARAGRAPH = 8000 -- bytes, in Markdown
local MOST_DELIMITERS = 1500 -- of emphasis and links in a paragraph
-- Markdown's parser overflows a buffer when more than 254 blocks are open. Each block needs a column at
-- least, before the first word of a line or of a string or comment in it.
local MOST_COLUMNS = 100
local TAB = 4 -- columns

local BLANK, TABULATOR, LINE_FEED, FORM_FEED, CARRIAGE_RETURN = 32, 9, 10, 12, 13
local QUOTE = ('>'):byte()

local function bytes(characters)
  local set = {}
  for at = 1, #characters do
    set[characters:byte(at)] = true
  end
  return set
end

local OPENING, CLOSING = bytes('([{'), bytes(')]}')
local MARKER, DIGIT = bytes('-*+.)'), bytes('0123456789')
local END = bytes(' \t\r\n')

-- Control characters are dangerous because Neovim sends a link's address to the terminal unchanged.
local function is_control(byte, previous)
  if byte < BLANK then
    return byte ~= FORM_FEED
  elseif byte > 127 and byte < 160 then
    return previous < 128 or previous == 194
  end
  return byte == 127
end

-- Whether a byte in a row of blanks, numbers and markers begins a block.
local function begins_block(byte, previous, following)
  if byte == QUOTE then
    return true
  end
  return MARKER[byte]
    and (END[following] or not following)
    and (previous == 0 or END[previous] or DIGIT[previous] or previous == QUOTE)
end

---@class claude_ide.Survey
---@field line integer bytes of the longest line
---@field brackets integer the most that are open at the same time
---@field is_nested boolean whether a row of block markers, and of the blanks before them, is very wide
---@field has_control boolean

-- One pass over the bytes, checking for letters first: patterns take twenty times as long.
---@param text string
---@return claude_ide.Survey
local function survey(text)
  local start, longest, depth, deepest = 0, 0, 0, 0
  local columns, is_block, previous = 0, false, 0
  local is_nested, has_control = false, false
  for at = 1, #text do
    local byte = text:byte(at)
    if (byte >= 97 and byte <= 122) or (byte >= 65 and byte <= 90) then
      columns, is_block = 0, false
    elseif byte == LINE_FEED or byte == CARRIAGE_RETURN then
      columns, is_block = 0, false
      if byte == LINE_FEED then
        longest, start = math.max(longest, at - start), at
      end
    elseif byte == BLANK or byte == TABULATOR or DIGIT[byte] or MARKER[byte] or byte == QUOTE then
      columns = columns + (byte == TABULATOR and TAB or 1)
      is_block = is_block or begins_block(byte, previous, text:byte(at + 1))
      is_nested = is_nested or (is_block and columns >= MOST_COLUMNS)
    else
      columns, is_block = 0, false
      has_control = has_control or is_control(byte, previous)
    end
    if OPENING[byte] then
      depth = depth + 1
      deepest = math.max(deepest, depth)
    elseif CLOSING[byte] then
      depth = math.max(0, depth - 1)
    end
    previous = byte
  end
  longest = math.max(longest, #text - start)
  return { line = longest, brackets = deepest, is_nested = is_nested, has_control = has_control }
end

---@param found claude_ide.Survey
---@return string? reason
local function fatal(found)
  if found.is_nested then
    return 'deeply nested blocks'
  elseif found.has_control then
    return 'control characters'
  end
end

--- Why a text would crash Neovim, would write to the terminal, or is too large to examine; nil if it
--- is safe.
---@param text string
---@return string? reason
function M.fatal(text)
  return #text > LARGEST_FILE and 'its size' or fatal(survey(text))
end

local function begins_paragraph(line)
  return not line:find('%S') or line:find('^ ? ? ?[-*+] +%S') ~= nil
end

-- Markdown's inline parser gets a whole paragraph at a time, and needs quadratic time.
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

--- Why a text must not be parsed, for the reasons of `fatal` or because it would take too long.
---@param text string
---@param language? string the parser's
---@param size? integer bytes of the text, if the caller passes only a part because it is too large
---@return string? reason
function M.find(text, language, size)
  local is_markdown = language == 'markdown'
  if (size or #text) > (is_markdown and LARGEST_MARKDOWN or M.LARGEST) then
    return 'its size'
  end
  local found = survey(text)
  if found.line > LONGEST_LINE then
    return 'a very long line'
  elseif found.brackets > MOST_BRACKETS then
    return 'deeply nested brackets'
  elseif is_markdown and has_long_paragraph(text) then
    return 'a very long paragraph'
  end
  return fatal(found)
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
