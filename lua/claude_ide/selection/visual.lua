--- The text of a Visual area in the current window, nearly as `y` yanks it, and its range.
local M = {}

local fn = vim.fn

-- Bytes of text: more than a model reads, but few enough to send after every key.
local CAP = 1024 * 1024
local LONGEST_CHARACTER = 4
-- Cutting a block out of one row takes 1 µs to 5 µs.
local MOST_BLOCK_ROWS = 10000

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

-- The part of a row inside a block, in screen columns. Unlike `y`, it includes the whole of a tab or wide
-- character that is covered in part, and does not pad short rows.
---@return string text
---@return integer first byte column
---@return integer last byte column after it
local function slice(row, left, right)
  local text = line_at(row)
  -- In a shorter row, virtcol2col() returns the last character.
  local start = fn.virtcol2col(0, row + 1, left) - 1
  local stop = after_character(text, math.max(0, fn.virtcol2col(0, row + 1, right) - 1))
  if
    text == ''
    or fn.virtcol({ row + 1, start + 1 }) < left and after_character(text, start) == #text
  then
    return '', #text, #text
  end
  return text:sub(start + 1, stop), start, stop
end

local function blockwise(first, last, to_eol)
  local first_from, first_to = unpack(fn.virtcol({ first.row + 1, first.col + 1, first.off }, true))
  local last_from, last_to = unpack(fn.virtcol({ last.row + 1, last.col + 1, last.off }, true))
  local left, right = math.min(first_from, last_from), math.max(first_to, last_to)
  if to_eol then
    right = vim.v.maxcol
  elseif vim.o.selection == 'exclusive' and first_to < last_from then
    right = last_from - 1
  end
  local texts, size = {}, 0
  for row = first.row, math.min(last.row, first.row + MOST_BLOCK_ROWS - 1) do
    texts[#texts + 1] = slice(row, left, right)
    size = size + #texts[#texts] + 1
    if size > CAP then
      break
    end
  end
  local _, start = slice(first.row, left, right)
  local _, _, stop = slice(last.row, left, right)
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
