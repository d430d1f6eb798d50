--- Who writes a buffer: the user, or an autosave.
local M = {}

-- Of all our modules: a write that one of them leads to is no autosave.
local FOLDER = debug.getinfo(1, 'S').source:match('^(.*/)file/autosave%.lua$')

-- In `<stack>` an autocommand's entry begins with its event.
local function is_autocommand(entry)
  local event = entry:match('^%a+')
  return event ~= nil and vim.fn.exists('##' .. event) == 1
end

-- Whether Lua other than ours has led to the autocommand.
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

-- `state()` has an "S" from a key on until it has been carried out. A pending operator was typed, too,
-- but writes nothing.
local function is_idle()
  local state = vim.fn.state('So')
  return state == '' or state:find('o') ~= nil
end

--- What writes, if the current autocommand is due to an autosave. A script that runs while nothing that
--- was typed is being carried out was started by a timer. A client's `:write` has no script around it.
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
