--- Notices that the user has interrupted the turn of a CLI in a terminal. No hook reports that; only the
--- CLI's record of the conversation says so, which is watched during a turn.
local channel = require('claude_ide.channel')

local M = {}

local uv = vim.uv

local MARK = '[Request interrupted by user'
local LONGEST = 1000000 -- bytes that are read at once

---@class claude_ide.WatchedTurn
---@field launch string
---@field path string the record
---@field read integer bytes of it
---@field event uv.uv_fs_event_t
---@field folder? string the one that is watched
---@field is_due? boolean whether the record will be looked at

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

-- The id of the prompt whose turn was interrupted, if a line says so; empty if it names none.
---@return string?
local function interrupted_prompt(line)
  local ok, entry = pcall(vim.json.decode, line)
  local is_user = ok and type(entry) == 'table' and entry.type == 'user'
  local content = is_user and vim.tbl_get(entry, 'message', 'content')
  local first = type(content) == 'table' and content[1]
  local text = type(first) == 'table' and first.text
  if type(text) == 'string' and vim.startswith(text, MARK) then
    return type(entry.promptId) == 'string' and entry.promptId or ''
  end
end

---@param turn claude_ide.WatchedTurn
local function look(turn)
  for line in added(turn):gmatch('[^\n]+') do
    local prompt = line:find(MARK, 1, true) and interrupted_prompt(line)
    if prompt then
      channel.emit('terminal_interrupted', { launch = turn.launch, prompt = prompt })
    end
  end
end

-- The folder of the record, or the nearest one above it: the CLI creates it with the first answer.
local function existing_folder(path)
  return vim.iter(vim.fs.parents(path)):find(function(folder)
    return uv.fs_stat(folder) ~= nil
  end)
end

-- Watch the folder of the record, as soon as there is one.
---@param turn claude_ide.WatchedTurn
local function follow(turn)
  local folder = existing_folder(turn.path)
  if folder == turn.folder then
    return
  end
  turn.folder = folder
  turn.event:stop()
  turn.event:start(folder, {}, function()
    if not turn.is_due then
      turn.is_due = true
      vim.schedule(function()
        turn.is_due = false
        if turns[turn.launch] == turn then
          follow(turn)
          look(turn)
        end
      end)
    end
  end)
  -- The folder may have been created since it was looked for.
  follow(turn)
end

--- Called by the host during the turn of a CLI.
---@param launch string the terminal
---@param path string the record, which may not exist yet
function M.watch(launch, path)
  local event = not turns[launch] and uv.new_fs_event()
  if event then
    turns[launch] = { launch = launch, path = path, read = size_of(path) or 0, event = event }
    follow(turns[launch])
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
