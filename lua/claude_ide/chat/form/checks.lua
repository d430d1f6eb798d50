--- Whether a typed answer is valid: its format, and its limits.
local M = {}

---@alias claude_ide.FormInput 'text'|'number'|'integer'|'email'|'uri'|'date'|'date-time'

local NUMBER = '^[+-]?%d*%.?%d*$'
local EXPONENT = '^([^eE]+)[eE][+-]?%d+$'
local DAYS = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 }
local OFFSET = '[+-]%d%d:%d%d$'

local function is_number(text)
  local number = (text:match(EXPONENT) or text):find(NUMBER) and tonumber(text)
  return number ~= nil and math.abs(number) < math.huge
end

local function is_date(text)
  local parts = vim.tbl_map(tonumber, { text:match('^(%d%d%d%d)-(%d%d)-(%d%d)$') })
  local year, month, day = unpack(parts)
  if not year then
    return false
  end
  local leap = year % 4 == 0 and (year % 100 ~= 0 or year % 400 == 0)
  local days = month == 2 and leap and 29 or DAYS[month] or 0
  return day >= 1 and day <= days
end

local function is_time(text)
  local hour, minute, second = text:match('^(%d%d):(%d%d):(%d%d)$')
  local is_complete = hour ~= nil
  return is_complete and hour < '24' and minute < '60' and second <= '60'
end

local function is_date_time(text)
  local date, time = text:match('^([%d-]+)[Tt ](.+)$')
  if not date or not is_date(date) then
    return false
  end
  local clock = time:match('^(.*)[Zz]$') or (time:find(OFFSET) and time:sub(1, -7))
  return clock ~= nil and clock ~= false and is_time((clock:gsub('%.%d+$', '')))
end

---@type table<string, fun(text: string): boolean> whether a text has a format
local FORMATS = {
  number = is_number,
  integer = function(text)
    return text:find('^[+-]?%d+$') ~= nil
  end,
  email = function(text)
    return text:find('^[^%s@]+@[^%s@]+$') ~= nil
  end,
  uri = function(text)
    return text:find('^%a[%w+.-]*:%S+$') ~= nil
  end,
  date = is_date,
  ['date-time'] = is_date_time,
}

local function plain(bound)
  return bound % 1 == 0 and ('%.0f'):format(bound) or tostring(bound)
end

---@param question claude_ide.FormQuestion
---@param size number
---@param unit string of the limits; empty if they have none
---@return string? problem
local function outside(question, size, unit)
  local function limit(words, bound)
    local noun = unit ~= '' and (' %s%s'):format(unit, bound == 1 and '' or 's') or ''
    return ('%s %s%s'):format(words, plain(bound), noun)
  end
  if question.least and size < question.least then
    return limit('at least', question.least)
  elseif question.most and size > question.most then
    return limit('at most', question.most)
  end
end

--- Why a typed answer is not valid, as the answer that is expected instead; nil if it is valid.
---@param question claude_ide.FormQuestion
---@param text string
---@return string? problem
function M.text(question, text)
  local is_valid = FORMATS[question.input or 'text']
  if is_valid and not is_valid(text) then
    return question.expects or question.input
  elseif question.input == 'number' or question.input == 'integer' then
    return outside(question, assert(tonumber(text)), '')
  end
  return outside(question, vim.fn.strchars(text), 'character')
end

--- Why a number of choices is not valid; nil if it is.
---@param question claude_ide.FormQuestion
---@param count integer
---@return string? problem
function M.count(question, count)
  return outside(question, count, 'choice')
end

return M
