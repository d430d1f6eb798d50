--- What `vim.diagnostic` holds, in LSP's words, read a bit at a time: Neovim never stops for long.
local positions = require('claude_ide.positions')

local M = {}

-- Of one step; what it gives has to be sent, too.
local MILLISECONDS = 5
local ITEMS = 500
local BYTES = 256 * 1024
local SEVERITIES = { 'Error', 'Warning', 'Info', 'Hint' }

---@class claude_ide.DiagnosticItem
---@field message string
---@field severity 'Error'|'Warning'|'Info'|'Hint'
---@field range { start: claude_ide.Position, end: claude_ide.Position }
---@field source? string
---@field code? string|number

---@class claude_ide.DiagnosticReading
---@field bufnrs integer[] those that have any diagnostics
---@field tasks { bufnr: integer, severity: integer }[] what is still to be looked up, backwards
---@field bufnr integer whose diagnostics `found` are
---@field found vim.Diagnostic[]
---@field position integer of the last one of `found` that was read
---@field left integer how many more may be read
---@field unread table<integer, integer> of each buffer

---@class claude_ide.DiagnosticPart
---@field bufnr integer
---@field items claude_ide.DiagnosticItem[]
---@field omitted integer how many of this buffer are over the limit; known at the end

---@param bufnrs integer[]
---@param limit integer
---@return claude_ide.DiagnosticReading
function M.new(bufnrs, limit)
  local counts, unread = {}, {}
  bufnrs = vim.tbl_filter(function(bufnr)
    counts[bufnr], unread[bufnr] = vim.diagnostic.count(bufnr), 0
    return next(counts[bufnr]) ~= nil
  end, bufnrs)
  local tasks = {}
  -- Errors are read first, whichever file they are in: what is over the limit matters least.
  for severity = #SEVERITIES, 1, -1 do
    for index = #bufnrs, 1, -1 do
      local bufnr = bufnrs[index]
      local count = counts[bufnr][severity]
      if count then
        unread[bufnr] = unread[bufnr] + count
        table.insert(tasks, { bufnr = bufnr, severity = severity })
      end
    end
  end
  return {
    bufnrs = bufnrs,
    tasks = tasks,
    bufnr = 0,
    found = {},
    position = 0,
    left = limit,
    unread = unread,
  }
end

-- Neovim copies each diagnostic with all that its language server has attached: the one step here that
-- cannot be divided.
local function look_up(bufnr, severity)
  if not vim.api.nvim_buf_is_valid(bufnr) then
    return {}
  end
  return vim.diagnostic.get(bufnr, { severity = severity })
end

---@param reading claude_ide.DiagnosticReading
---@return vim.Diagnostic?
local function take(reading)
  while reading.position == #reading.found do
    local task = table.remove(reading.tasks)
    if not task then
      return nil
    end
    reading.bufnr, reading.position = task.bufnr, 0
    reading.found = look_up(task.bufnr, task.severity)
  end
  if reading.left == 0 then
    return nil
  end
  reading.left = reading.left - 1
  reading.unread[reading.bufnr] = reading.unread[reading.bufnr] - 1
  reading.position = reading.position + 1
  return reading.found[reading.position]
end

-- A function from a row to its text. Diagnostics of one line mostly come one after the other.
local function lines_of(bufnr)
  local last_row, last_text
  return function(row)
    if row ~= last_row then
      last_row = row
      last_text = vim.api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1] or ''
    end
    return last_text
  end
end

-- Without its text a buffer's bytes cannot be told from characters.
local function without_text() end

local function position(text_of, row, col)
  row, col = math.max(row, 0), math.max(col, 0)
  local text = text_of(row)
  return { line = row, character = text and positions.character(text, col) or col }
end

-- A language server's null is `vim.NIL`.
local function sound(value)
  return (type(value) == 'string' or type(value) == 'number') and value or nil
end

---@param diagnostic vim.Diagnostic
---@return claude_ide.DiagnosticItem
local function convert(diagnostic, text_of)
  local lnum, col = diagnostic.lnum, diagnostic.col
  return {
    message = sound(diagnostic.message) and tostring(diagnostic.message) or '',
    severity = SEVERITIES[diagnostic.severity],
    range = {
      start = position(text_of, lnum, col),
      ['end'] = position(text_of, diagnostic.end_lnum or lnum, diagnostic.end_col or col),
    },
    source = sound(diagnostic.source),
    code = sound(diagnostic.code),
  }
end

-- What was left out for want of room, not because it is gone.
local function omissions(reading)
  local parts = {}
  for _, bufnr in ipairs(reading.left == 0 and reading.bufnrs or {}) do
    if reading.unread[bufnr] > 0 then
      table.insert(parts, { bufnr = bufnr, items = {}, omitted = reading.unread[bufnr] })
    end
  end
  return parts
end

--- Read on for a few milliseconds.
---@param reading claude_ide.DiagnosticReading
---@return claude_ide.DiagnosticPart[] parts
---@return boolean done
function M.step(reading)
  local deadline = vim.uv.hrtime() + MILLISECONDS * 1e6
  local parts, items, bytes, text_of = {}, 0, 0, nil
  while items < ITEMS and bytes < BYTES and vim.uv.hrtime() < deadline do
    local diagnostic = take(reading)
    if not diagnostic then
      return vim.list_extend(parts, omissions(reading)), true
    end
    local part = parts[#parts]
    if not part or part.bufnr ~= reading.bufnr then
      part = { bufnr = reading.bufnr, items = {}, omitted = 0 }
      table.insert(parts, part)
      text_of = vim.api.nvim_buf_is_loaded(reading.bufnr) and lines_of(reading.bufnr)
        or without_text
    end
    table.insert(part.items, convert(diagnostic, text_of))
    items, bytes = items + 1, bytes + #part.items[#part.items].message
  end
  return parts, false
end

return M
