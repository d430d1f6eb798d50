--- How long those that publish diagnostics take after a write: how long to wait for each.
local M = {}

-- Milliseconds.
local LIMIT = 1500
local SHORTEST = 400
-- Until it is known how much its answers vary.
local SHORTEST_AT_FIRST = 1000
local ENOUGH = 3
-- For servers that read code but have had nothing to say about it: `missed` halves the limit down to this.
local SHORTEST_UNHEARD = 500
local UNHEARD_LINTER = 750
local FORGETTING = 0.7
-- So that one cold start is soon forgotten.
local LONGEST = 3000

---@class claude_ide.AnswerTime
---@field latency? number how long an answer took, rather too long than too short
---@field answers integer how many there were
---@field missed integer how often it was waited for in vain since it spoke

---@type table<integer, claude_ide.AnswerTime>
local known = {}

local function time_of(namespace)
  known[namespace] = known[namespace] or { answers = 0, missed = 0 }
  return known[namespace]
end

local function is_in_time(one)
  return one.latency ~= nil and one.latency < LIMIT
end

local function twice(one)
  return math.max(one.answers < ENOUGH and SHORTEST_AT_FIRST or SHORTEST, 2 * one.latency)
end

--- It has answered a write.
---@param namespace integer
---@param ms number after the write
function M.answered(namespace, ms)
  local one = time_of(namespace)
  one.latency = math.max(FORGETTING * (one.latency or 0), math.min(ms, LONGEST))
  one.answers = one.answers + 1
  M.spoke(namespace)
end

--- It has published something, unasked.
---@param namespace integer
function M.spoke(namespace)
  local one = time_of(namespace)
  if not one.latency or is_in_time(one) then
    one.missed = 0
  end
end

--- It was waited for in vain.
---@param namespace integer
function M.missed(namespace)
  local one = time_of(namespace)
  one.missed = one.missed + 1
end

--- How long its last answers took, if it has answered.
---@param namespace integer
---@return number?
function M.latency(namespace)
  return time_of(namespace).latency
end

--- How many milliseconds a server is worth waiting for after a write. Many publish only what has
--- changed, so one that answers is waited for about twice as long as it takes. An assistant, which
--- reads no code, is waited for once.
---@param namespace integer
---@param reads_code boolean
---@return number ms
function M.of_server(namespace, reads_code)
  local one = time_of(namespace)
  if is_in_time(one) then
    return twice(one)
  elseif one.missed == 0 then
    return math.huge
  end
  return reads_code and math.max(SHORTEST_UNHEARD, LIMIT / 2 ^ one.missed) or 0
end

--- The same for a server that was pulled: unless it hangs it answers.
---@param namespace integer
---@return number ms
function M.of_pulled(namespace)
  return time_of(namespace).missed == 0 and math.huge or SHORTEST_UNHEARD
end

--- The same for a linter, which may not run after a write at all.
---@param namespace integer
---@return number ms
function M.of_linter(namespace)
  local one = time_of(namespace)
  if is_in_time(one) then
    return twice(one)
  end
  return one.missed == 0 and UNHEARD_LINTER or 0
end

return M
