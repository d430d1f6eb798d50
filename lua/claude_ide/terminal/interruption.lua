--- Notices that the user has interrupted the turn of a CLI in a terminal. No hook reports that; only the
--- CLI's record of the conversation says so, which is watched during a turn.
local channel = require('claude_ide.channel')
local quiet = require('claude_ide.say.quiet')

local M = {}

local uv = vim.uv

local MARK = '[Request interrupted by user'
local LONGEST = 1000000 -- bytes that are read at once

---@class claude_ide.WatchedTurn
---@field launch string
---@field path string the record
---@field read integer bytes of it
---@field event uv.uv_fs_event_t

local turns = {} ---@type table<string, claude_ide.WatchedTurn> by launch

---@return integer? bytes of a regular file
local function size_of(path)
  local stat = uv.fs_stat(path)
  return stat and stat.type == 'file' and stat.size or nil
end

-- The whole lines that were added to the record.
---@param turn claude_ide.WatchedTurn
---@return string
local function added(turn)
  local size = size_of(turn.path) or 0
  local file = size > turn.read and io.open(turn.path, 'rb')
  if not file then
    return ''
  end
  file:seek('set', math.max(turn.read, size - LONGEST))
  local text = (file:read(LONGEST) or ''):match('^.*\n') or ''
  turn.read = math.max(turn.read, size - LONGEST) + #text
  file:close()
  return text
end

local function is_interruption(line)
  local ok, entry = pcall(vim.json.decode, line)
  local content = ok
    and type(entry) == 'table'
    and entry.type == 'user'
    and vim.tbl_get(entry, 'message', 'content')
  local first = type(content) == 'table' and content[1]
  local text = type(first) == 'table' and first.text
  return type(text) == 'string' and vim.startswith(text, MARK)
end

---@param turn claude_ide.WatchedTurn
local function look(turn)
  if turns[turn.launch] ~= turn then
    return
  end
  for line in added(turn):gmatch('[^\n]+') do
    if line:find(MARK, 1, true) and is_interruption(line) then
      M.unwatch(turn.launch)
      channel.emit('terminal_interrupted', { launch = turn.launch })
      return
    end
  end
end

--- Called by the host during the turn of a CLI. Before its first answer there may be no record yet.
---@param launch string the terminal
---@param path string the record
function M.watch(launch, path)
  local event = not turns[launch] and uv.new_fs_event()
  if not event then
    return
  end
  local turn = { launch = launch, path = path, read = size_of(path) or 0, event = event }
  local name, is_due = vim.fs.basename(path), false
  local started = event:start(vim.fs.dirname(path), {}, function(_, changed)
    if (not changed or changed == name) and not is_due then
      is_due = true
      vim.schedule(function()
        is_due = false
        quiet.tolerate(function()
          look(turn)
        end)
      end)
    end
  end)
  if started then
    turns[launch] = turn
  else
    event:close()
  end
end

--- Called by the host at the end of a turn.
---@param launch string
function M.unwatch(launch)
  if turns[launch] then
    turns[launch].event:close()
    turns[launch] = nil
  end
end

--- The host has ended.
function M.unwatch_all()
  vim.iter(vim.tbl_keys(turns)):each(M.unwatch)
end

return M
