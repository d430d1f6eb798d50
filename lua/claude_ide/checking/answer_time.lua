--- Learns how long each namespace takes to publish after a write, and derives how long to wait for it.
local M = {}

-- Milliseconds, except for ENOUGH and FORGETTING.
local LIMIT = 1500
local SHORTEST = 400
-- Used for the first answers, while their variation is unknown.
local SHORTEST_AT_FIRST = 1000
local ENOUGH = 3
-- For servers that read code but have published nothing: each timeout halves the limit down to this.
local SHORTEST_SILENT = 500
local SILENT_LINTER = 750
local FORGETTING = 0.7
-- Limits the effect of one cold start.
local LONGEST = 3000

---@class claude_ide.AnswerTime
---@field latency? number milliseconds; an estimate that is too long rather than too short
---@field answers integer
---@field timeouts integer since it last published

---@type table<integer, claude_ide.AnswerTime>
local known = {}

local function time_of(namespace)
  known[namespace] = known[namespace] or { answers = 0, timeouts = 0 }
  return known[namespace]
end

local function is_in_time(one)
  return one.latency ~= nil and one.latency < LIMIT
end

local function twice(one)
  return math.max(one.answers < ENOUGH and SHORTEST_AT_FIRST or SHORTEST, 2 * one.latency)
end

--- Record an answer to a write.
---@param namespace integer
---@param ms number milliseconds after the write
function M.answered(namespace, ms)
  local one = time_of(namespace)
  one.latency = math.max(FORGETTING * (one.latency or 0), math.min(ms, LONGEST))
  one.answers = one.answers + 1
  M.published(namespace)
end

--- Record that a namespace has published, without a write before.
---@param namespace integer
function M.published(namespace)
  local one = time_of(namespace)
  if not one.latency or is_in_time(one) then
    one.timeouts = 0
  end
end

--- Record that a namespace has not answered in time.
---@param namespace integer
function M.timed_out(namespace)
  local one = time_of(namespace)
  one.timeouts = one.timeouts + 1
end

--- The time that the last answers took, if there were any.
---@param namespace integer
---@return number? ms
function M.latency(namespace)
  return time_of(namespace).latency
end

--- How long to wait for a server after a write. Many servers publish only changes, so the wait for one
--- that answers is about twice its usual time. An assistant, which reads no code, gets only one wait.
---@param namespace integer
---@param reads_code boolean
---@return number ms
function M.of_server(namespace, reads_code)
  local one = time_of(namespace)
  if is_in_time(one) then
    return twice(one)
  elseif one.timeouts == 0 then
    return math.huge
  end
  return reads_code and math.max(SHORTEST_SILENT, LIMIT / 2 ^ one.timeouts) or 0
end

--- How long to wait for the answer of a server that was pulled. It always answers unless it hangs.
---@param namespace integer
---@return number ms
function M.of_pulled(namespace)
  return time_of(namespace).timeouts == 0 and math.huge or SHORTEST_SILENT
end

--- How long to wait for a linter, which may not run after a write at all.
---@param namespace integer
---@return number ms
function M.of_linter(namespace)
  local one = time_of(namespace)
  if is_in_time(one) then
    return twice(one)
  end
  return one.timeouts == 0 and SILENT_LINTER or 0
end

return M
