--- Makes text from outside harmless for a buffer, a title or a message. `ui/text.py`
--- applies the same rules in the host.
local M = {}

local HEAD = 0.6 -- the share of a shortened text that is its beginning
local REPLACEMENT = '\239\191\189'

local function caret(control)
  return '^' .. string.char(bit.bxor(control:byte(), 0x40))
end

local function code(control)
  return ('<%02x>'):format(control:byte(2))
end

--- A line in which control characters are replaced: by `^X`, or by `<9b>` if they have 8 bits.
--- Carriage returns at its end are removed.
---@type fun(line: string): string
function M.harmless(line)
  if not line:find('[%z\1-\8\10-\31\127\194\237]') then
    return line
  end
  line = line:gsub('\r+$', ''):gsub('[%z\1-\8\10-\31\127]', caret)
  -- Half of a surrogate pair is not a character, although it can be encoded.
  return (line:gsub('\194[\128-\159]', code):gsub('\237[\160-\191][\128-\191]', REPLACEMENT))
end

--- The lines of a text, each made harmless.
---@type fun(text: string): string[]
function M.lines(text)
  return vim.tbl_map(M.harmless, vim.split(text, '\n', { plain = true }))
end

--- A text as one harmless line; each run of white space becomes a blank.
---@type fun(text: string): string
function M.one_line(text)
  return M.harmless((text:gsub('%s+', ' ')))
end

--- A text for a status line or a winbar, escaped so that nothing in it is evaluated.
---@type fun(text: string): string
function M.status_line(text)
  return (M.harmless(text):gsub('%%', '%%%%'))
end

--- The beginning of a text that fits into so many columns.
---@type fun(text: string, columns: integer): string
function M.cut(text, columns)
  -- Vim script's `%S` counts columns.
  return vim.fn.printf(('%%.%dS'):format(columns), text)
end

--- A text as one line. If it is too wide, its middle is cut out.
---@param text string
---@param width integer columns, at least one
---@param head? number the share of the columns that shows its beginning; default: 0.6
---@return string
function M.shorten(text, width, head)
  text = M.one_line(text)
  local surplus = vim.api.nvim_strwidth(text) - width
  if surplus <= 0 then
    return text
  end
  local first = math.ceil((width - 1) * (head or HEAD))
  local hidden, columns = '', first + surplus
  -- Characters may be wide.
  while vim.api.nvim_strwidth(hidden) <= first + surplus do
    columns = columns + 1
    hidden = M.cut(text, columns)
  end
  return M.cut(text, first) .. '…' .. text:sub(#hidden + 1)
end

--- A text as one line, cut if it is too wide.
---@param text string
---@param width integer columns
---@return string
function M.fit(text, width)
  return M.shorten(text, math.max(width, 1), 1)
end

return M
