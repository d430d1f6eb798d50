--- The text of a Visual area in the current window, as `y` yanks it, and its range.
local M = {}

local fn = vim.fn

-- Bytes of text: more than a model reads, but few enough to send after every key.
local CAP = 1024 * 1024
local LONGEST_CHARACTER = 4
local TAB = 9
-- Cutting a block out of one row takes 1 µs to 5 µs.
local MOST_BLOCK_ROWS = 10000
-- A character that is one cell wide, and not the last one in its row.
local ONE_CELL = '^%w[^\128-\255]'

---@class claude_ide.Point
---@field row integer 0-based
---@field col integer bytes
---@field off? integer cells beyond the character at `col`, with 'virtualedit'

---@class claude_ide.Area
---@field text string 1 MiB at most
---@field first claude_ide.Point
---@field last claude_ide.Point exclusive

local function line_at(row)
  return vim.api.nvim_buf_get_lines(0, row, row + 1, false)[1] or ''
end

-- A position from `getpos()`, clamped to the buffer: a mark may be past the end after text was
-- deleted.
local function point(pos)
  local row = math.min(pos[2], vim.api.nvim_buf_line_count(0)) - 1
  return { row = row, col = math.min(pos[3] - 1, #line_at(row)), off = pos[4] }
end

-- The byte column after the character at `col` and its composing characters.
local function after_character(text, col)
  -- A string with a NUL would become a blob.
  return col + #fn.matchstr(text:sub(col + 1):gsub('%z', ' '), '.')
end

local function is_before(a, b)
  return a.row < b.row or a.row == b.row and (a.col < b.col or a.col == b.col and a.off < b.off)
end

local function cut(text)
  return #text <= CAP and text or text:sub(1, CAP + vim.str_utf_start(text, CAP + 1))
end

-- The text between two points, up to the limit. Text beyond the limit is not read.
local function read(first, last)
  local row, col = last.row, last.col
  local start = fn.line2byte(first.row + 1) + first.col
  local stop = start + CAP + LONGEST_CHARACTER
  if fn.line2byte(row + 1) + col > stop then
    row = fn.byte2line(stop) - 1
    col = math.min(stop - fn.line2byte(row + 1), fn.col({ row + 1, '$' }) - 1)
  end
  return cut(table.concat(vim.api.nvim_buf_get_text(0, first.row, first.col, row, col, {}), '\n'))
end

-- The end of a range that includes a line. The CLI ignores the last line of a range that ends in
-- column 0, so a range that includes an empty line has to end at the start of the next line.
local function after_line(row)
  local col = #line_at(row)
  return col > 0 and { row = row, col = col } or { row = row + 1, col = 0 }
end

local function linewise(first, last)
  local start, stop = { row = first.row, col = 0 }, after_line(last.row)
  local text = read(start, { row = last.row, col = #line_at(last.row) })
  return { text = stop.row > last.row and text .. '\n' or text, first = start, last = stop }
end

local function characterwise(first, last)
  local text = line_at(last.row)
  local stop = { row = last.row, col = last.col }
  local exclusive = vim.o.selection == 'exclusive' and is_before(first, last) and last.off == 0
  if not exclusive and last.col < #text then
    stop.col = after_character(text, last.col)
  elseif not exclusive and vim.o.selection ~= 'old' and not vim.o.virtualedit:find('all') then
    -- The area includes the line break, unless this is the last line.
    if last.row + 1 < vim.api.nvim_buf_line_count(0) then
      stop = { row = last.row + 1, col = 0 }
    end
  end
  return { text = read(first, stop), first = first, last = stop }
end

-- The bounds of the character at a byte column, in bytes and in screen columns.
local function character(row, text, col)
  local stop = after_character(text, col)
  local from, to = unpack(fn.virtcol({ row + 1, col + 1 }, true))
  if text:byte(col + 1) == TAB then
    -- With 'virtualedit', virtcol() says that a tab ends where it starts.
    to = fn.virtcol({ row + 1, stop + 1 }, true)[1] - 1
  end
  return { col = col, stop = stop, from = from, to = to }
end

---@class claude_ide.Columns
---@field left integer screen columns, 1-based
---@field right integer
---@field are_cells boolean whether no virtual text shifts the columns

-- The part of a row inside a block. Like `y`, it replaces a partly covered tab or wide character with
-- blanks; unlike `y`, it does not pad short rows.
---@param columns claude_ide.Columns
---@return string text
---@return integer first byte column
---@return integer last byte column after it
local function slice(row, columns)
  local text, left, right = line_at(row), columns.left, columns.right
  if text == '' then
    return '', 0, 0
  end
  -- In a shorter row, virtcol2col() returns the last character.
  local start = fn.virtcol2col(0, row + 1, left) - 1
  local stop = fn.virtcol2col(0, row + 1, right) - 1
  if columns.are_cells and text:find(ONE_CELL, start + 1) and text:find(ONE_CELL, stop + 1) then
    return text:sub(start + 1, stop + 1), start, stop + 1
  end
  local first, last = character(row, text, start), character(row, text, stop)
  if first.to < left then
    return '', #text, #text
  elseif start == stop and (first.from < left or first.to > right) then
    return (' '):rep(math.min(first.to, right) - left + 1), start, first.stop
  end
  local before, behind = '', ''
  local from, to = start, last.stop
  if first.from < left then
    before, from = (' '):rep(first.to - left + 1), first.stop
  end
  if last.to > right then
    behind, to = (' '):rep(right - last.from + 1), stop
  end
  return before .. text:sub(from + 1, to) .. behind, start, last.stop
end

-- The screen columns between two corners.
---@return claude_ide.Columns
local function columns_between(first, last, to_eol)
  local first_from, first_to = unpack(fn.virtcol({ first.row + 1, first.col + 1, first.off }, true))
  local last_from, last_to = unpack(fn.virtcol({ last.row + 1, last.col + 1, last.off }, true))
  local right = math.max(first_to, last_to)
  if to_eol then
    right = vim.v.maxcol
  elseif vim.o.selection == 'exclusive' and first_to < last_from then
    right = last_from - 1
  end
  local drawn = { type = 'virt_text', limit = 1 }
  local marks = vim.api.nvim_buf_get_extmarks(0, -1, { first.row, 0 }, { last.row, -1 }, drawn)
  return { left = math.min(first_from, last_from), right = right, are_cells = #marks == 0 }
end

local function blockwise(first, last, to_eol)
  local columns = columns_between(first, last, to_eol)
  local texts, size = {}, 0
  for row = first.row, math.min(last.row, first.row + MOST_BLOCK_ROWS - 1) do
    texts[#texts + 1] = slice(row, columns)
    size = size + #texts[#texts] + 1
    if size > CAP then
      break
    end
  end
  local _, start = slice(first.row, columns)
  local _, _, stop = slice(last.row, columns)
  return {
    text = cut(table.concat(texts, '\n')),
    first = { row = first.row, col = start },
    last = stop > 0 and { row = last.row, col = stop } or { row = last.row + 1, col = 0 },
  }
end

--- The Visual area between two positions of the current buffer, in any order.
---@param kind 'v'|'V'|'\22'
---@param from integer[] as `getpos()` returns it
---@param to integer[]
---@param to_eol boolean whether a block extends to the end of every line, as after `$`
---@return claude_ide.Area
function M.area(kind, from, to, to_eol)
  local first, last = point(from), point(to)
  if is_before(last, first) then
    first, last = last, first
  end
  if kind == 'V' then
    return linewise(first, last)
  elseif kind == 'v' then
    return characterwise(first, last)
  end
  return blockwise(first, last, to_eol)
end

return M
