--- What `vim.diagnostic` holds, in LSP's words, read a bit at a time: Neovim never stops for long.
local sets = require('claude_ide.diagnostics.sets')

local M = {}

-- In one turn of Neovim's loop, for all that read in it; sending takes time, too.
local MILLISECONDS = 5
local ITEMS = 500
local BYTES = 256 * 1024
local SEVERITIES = 4

---@class claude_ide.DiagnosticReading
---@field bufnrs integer[] those that have any diagnostics
---@field tasks { bufnr: integer, severity: integer }[]
---@field task integer which of the tasks is under way
---@field sets claude_ide.DiagnosticSet[] those of its buffer that are yet to be read
---@field position integer how many of the first of these were read
---@field remaining integer how many more may be read
---@field unread table<integer, integer> of each buffer

---@class claude_ide.DiagnosticPart
---@field bufnr integer
---@field items claude_ide.DiagnosticItem[]
---@field omitted integer how many of this buffer are over the limit; known at the end

-- Errors are read first: what is over the limit matters least.
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

---@param bufnrs integer[]
---@param limit integer
---@return claude_ide.DiagnosticReading
function M.new(bufnrs, limit)
  local tasks, unread, found = {}, {}, {}
  for _, bufnr in ipairs(bufnrs) do
    unread[bufnr] = total(bufnr)
    if unread[bufnr] > 0 then
      table.insert(found, bufnr)
    end
  end
  local first, others = sets.by_favour(found)
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

-- Go on to the next task; false at the end.
local function advance(reading)
  reading.task, reading.position = reading.task + 1, 0
  local task = reading.tasks[reading.task]
  reading.sets = task and sets.of(task.bufnr) or {}
  return task ~= nil
end

-- What comes next of a task's sets.
local function take(reading, readers)
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

-- How much was left out because the limit was reached.
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

-- When this turn of Neovim's loop has seen enough of it. The time of the loop stands still in a turn.
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

--- Read on for a few milliseconds, less when others have read just before.
---@param reading claude_ide.DiagnosticReading
---@return claude_ide.DiagnosticPart[] parts
---@return boolean done
function M.step(reading)
  local parts, readers, items, bytes = {}, {}, 0, 0
  while items < ITEMS and bytes < BYTES and not time_is_up() do
    if reading.remaining == 0 then
      return vim.list_extend(parts, omissions(reading)), true
    end
    local item = reading.task > 0 and take(reading, readers)
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
