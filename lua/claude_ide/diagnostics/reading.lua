--- Reads diagnostics in the form of LSP in short steps, so that Neovim never blocks for long.
local sets = require('claude_ide.diagnostics.sets')

local M = {}

-- Limits for one turn of Neovim's loop, shared by all readings; sending takes time, too.
local MILLISECONDS = 5
local ITEMS = 500
local BYTES = 256 * 1024
local SEVERITIES = 4

---@class claude_ide.DiagnosticReading
---@field bufnrs integer[] buffers with diagnostics
---@field tasks { bufnr: integer, severity: integer }[]
---@field task integer index of the current task
---@field sets claude_ide.DiagnosticSet[] sets of the current task that remain to be read
---@field position integer number of diagnostics read from the first of these sets
---@field remaining integer number of diagnostics that may still be read
---@field unread table<integer, integer> number of unread diagnostics, by buffer

---@class claude_ide.DiagnosticPart
---@field bufnr integer
---@field items claude_ide.DiagnosticItem[]
---@field omitted integer number of this buffer's items beyond the limit; set only at the end

-- Errors are read first, so that the least important diagnostics are those beyond the limit.
local function add_tasks(tasks, bufnrs)
  for severity = 1, SEVERITIES do
    for _, bufnr in ipairs(bufnrs) do
      if sets.count(bufnr)[severity] then
        table.insert(tasks, { bufnr = bufnr, severity = severity })
      end
    end
  end
end

local function total(bufnr)
  local sum = 0
  for severity = 1, SEVERITIES do
    sum = sum + (sets.count(bufnr)[severity] or 0)
  end
  return sum
end

--- Begin to read the diagnostics of these buffers.
---@param bufnrs integer[]
---@param limit integer number of diagnostics
---@return claude_ide.DiagnosticReading
function M.new(bufnrs, limit)
  local tasks, unread, found = {}, {}, {}
  for _, bufnr in ipairs(bufnrs) do
    unread[bufnr] = total(bufnr)
    if unread[bufnr] > 0 then
      table.insert(found, bufnr)
    end
  end
  local first, others = sets.by_priority(found)
  add_tasks(tasks, first)
  add_tasks(tasks, others)
  return {
    bufnrs = found,
    tasks = tasks,
    task = 0,
    sets = {},
    position = 0,
    remaining = limit,
    unread = unread,
  }
end

-- Start the next task; false at the end.
local function advance(reading)
  reading.task, reading.position = reading.task + 1, 0
  local task = reading.tasks[reading.task]
  reading.sets = task and sets.of(task.bufnr) or {}
  return task ~= nil
end

-- The next item of the current task, if any remain.
---@return claude_ide.DiagnosticItem?
local function next_item(reading, readers)
  local severity = reading.tasks[reading.task].severity
  while reading.sets[1] do
    local set = reading.sets[1]
    readers[set] = readers[set] or sets.reader(set)
    local item = readers[set](severity, reading.position + 1)
    if item then
      reading.position = reading.position + 1
      return item
    end
    table.remove(reading.sets, 1)
    reading.position = 0
  end
end

-- The numbers of diagnostics that were omitted because of the limit.
local function omissions(reading)
  local parts = {}
  for _, bufnr in ipairs(reading.remaining == 0 and reading.bufnrs or {}) do
    if reading.unread[bufnr] > 0 then
      table.insert(parts, { bufnr = bufnr, items = {}, omitted = reading.unread[bufnr] })
    end
  end
  return parts
end

local turn, deadline = nil, 0

-- Whether the time for this turn of Neovim's loop is used up. `vim.uv.now` is constant within a turn.
local function time_is_up()
  local now, beginning = vim.uv.hrtime(), vim.uv.now()
  if beginning ~= turn or now > deadline + MILLISECONDS * 1e6 then
    turn, deadline = beginning, now + MILLISECONDS * 1e6
  end
  return now > deadline
end

local function add(parts, bufnr, item)
  local part = parts[#parts]
  if not part or part.bufnr ~= bufnr then
    part = { bufnr = bufnr, items = {}, omitted = 0 }
    table.insert(parts, part)
  end
  table.insert(part.items, item)
end

--- Continue for a few milliseconds; less if other readings have used this turn of Neovim's loop.
---@param reading claude_ide.DiagnosticReading
---@return claude_ide.DiagnosticPart[] parts
---@return boolean done
function M.step(reading)
  local parts, readers, items, bytes = {}, {}, 0, 0
  while items < ITEMS and bytes < BYTES and not time_is_up() do
    if reading.remaining == 0 then
      return vim.list_extend(parts, omissions(reading)), true
    end
    local item = reading.task > 0 and next_item(reading, readers)
    if item then
      local bufnr = reading.tasks[reading.task].bufnr
      reading.remaining = reading.remaining - 1
      reading.unread[bufnr] = math.max(reading.unread[bufnr] - 1, 0)
      add(parts, bufnr, item)
      items, bytes = items + 1, bytes + #item.message
    elseif not advance(reading) then
      return parts, true
    end
  end
  return parts, false
end

return M
