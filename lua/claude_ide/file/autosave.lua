--- Tells a write by the user from an autosave.
local M = {}

-- The folder of our own modules: a write that one of them causes is not an autosave.
local FOLDER = debug.getinfo(1, 'S').source:match('^(.*/)file/autosave%.lua$')

-- Whether an entry of `<stack>` is an autocommand, such as `InsertLeave Autocommands for "*"`: all but
-- the event is translated, which is anywhere.
local function is_autocommand(entry)
  return vim.iter(vim.split(entry, ' ', { plain = true })):any(function(word)
    local event = word:match('^"?(%a+)"?$')
    return event ~= nil and vim.fn.exists('##' .. event) == 1
  end)
end

-- Whether Lua other than ours has caused the autocommand.
local function is_in_lua()
  local outermost
  for level = 1, math.huge do
    local info = debug.getinfo(level, 'S')
    if not info then
      return not vim.startswith(outermost.source, FOLDER)
    end
    outermost = info
  end
end

-- `state()` contains "S" while a typed key is being executed. A pending operator was typed, too, but
-- writes nothing.
local function is_idle()
  local state = vim.fn.state('So')
  return state == '' or state:find('o') ~= nil
end

--- Which kind of autosave has caused the current autocommand, if any. A script that runs while no typed
--- command is being executed was started by a timer. A remote client's `:write` runs outside any script.
---@return 'autocommand'|'timer'|nil how
function M.is_writing()
  local around = vim.split(vim.fn.expand('<stack>'), '..', { plain = true })
  table.remove(around)
  if vim.iter(around):any(is_autocommand) then
    return 'autocommand'
  end
  local is_script = #around > 0 or is_in_lua()
  return is_script and is_idle() and 'timer' or nil
end

return M
