--- The text for a status line. It is composed when something has changed, not when it is drawn.
local activity = require('claude_ide.activity')
local announce = require('claude_ide.messages.announce')
local plain = require('claude_ide.messages.plain')

local M = {}

local LONGEST_MODEL = 30 -- characters

local composed ---@type claude_ide.StatusEvent?
local version ---@type integer? the version of the activity that it shows
local announced = '' -- the text that was announced last

-- The sum of what modules count; none is loaded for this.
---@param counts { [1]: string, [2]: string }[] modules, and the functions that count
---@return integer
local function count(counts)
  return vim.iter(counts):fold(0, function(sum, each)
    local counting = package.loaded[each[1]]
    return sum + (counting and counting[each[2]]() or 0)
  end)
end

-- The proposals that are open, whether shown or not.
local function diffs()
  local diff = package.loaded['claude_ide.diff']
  return diff and diff.list() or {}
end

-- What tells the CLIs and chats that want the user from others.
local function labels()
  local found = {} ---@type string[]
  for _, module in ipairs({ 'claude_ide.permission', 'claude_ide.chat.state' }) do
    local asking = package.loaded[module]
    vim.list_extend(found, asking and asking.labels() or {})
  end
  for _, diff in ipairs(diffs()) do
    found[#found + 1] = diff.label
  end
  table.sort(found)
  return vim.fn.uniq(found)
end

-- The name of the agent that is working or waiting; of several agents, that of the plugin.
local function name()
  local names = {} ---@type table<string, true>
  local chats = package.loaded['claude_ide.chat.state']
  for _, chat in ipairs(chats and chats.list() or {}) do
    if chat.is_working or chat.requests > 0 then
      names[chats.agent_name(chat)] = true
    end
  end
  local first = next(names)
  return first and next(names, first) == nil and first or 'Claude'
end

-- The most important of several states.
---@return claude_ide.State
local function state_of(server, wants_user)
  if not server then
    return 'off'
  elseif wants_user then
    return 'wants you'
  elseif activity.is_working() then
    return 'working'
  end
  return (server.clients or 0) > 0 and 'idle' or 'ready'
end

-- Whether the user keeps the selection in Neovim.
local function is_withheld()
  local selection = package.loaded['claude_ide.selection']
  return selection ~= nil and not selection.is_shared()
end

local function money(dollars)
  return (dollars >= 0.01 and '$%.2f' or '$%.4f'):format(dollars)
end

-- Add what is known of the model, the context and the cost.
---@param parts string[]
---@param figures claude_ide.Figures
local function add_figures(parts, figures)
  if figures.model then
    local model = vim.fn.strcharpart(plain.one_line(figures.model), 0, LONGEST_MODEL)
    table.insert(parts, model)
  end
  if figures.context then
    table.insert(parts, ('%d%%'):format(figures.context))
  end
  if (figures.cost or 0) > 0 then
    table.insert(parts, money(figures.cost))
  end
end

-- What is counted for a mark: edits that wait, requests in chats and terminals, background tasks.
local MARKS = {
  { '!', { { 'claude_ide.diff.waiting', 'count' } } },
  { '?', { { 'claude_ide.chat.state', 'requests' }, { 'claude_ide.permission', 'count' } } },
  { '&', { { 'claude_ide.chat.state', 'tasks' } } },
}
local WANTING = vim.list_extend({ MARKS[1][2][1] }, MARKS[2][2])

---@param server claude_ide.Server?
---@param state claude_ide.State
---@return string
local function words_of(server, state)
  local words = {}
  if server then
    local several = state == 'idle' and server.clients > 1 and (' (%d)'):format(server.clients)
      or ''
    local wanting = table.concat(labels(), ', ')
    local who = wanting ~= '' and ('%s (%s)'):format(name(), wanting) or name()
    table.insert(words, ('%s: %s%s'):format(who, state, several))
  end
  for _, mark in ipairs(MARKS) do
    local number = count(mark[2])
    if number > 0 then
      table.insert(words, number .. mark[1])
    end
  end
  if server and is_withheld() then
    table.insert(words, 'unshared')
  end
  return table.concat(words, ' ')
end

---@return claude_ide.StatusEvent
local function compose()
  local host = package.loaded['claude_ide.host']
  local server = host and host.server()
  local figures = server and activity.figures() or {}
  local state = state_of(server, #diffs() > 0 or count(WANTING) > 0)
  local parts = { words_of(server, state) }
  add_figures(parts, figures)
  return {
    state = state,
    text = plain.status_line(table.concat(parts, ' · ')),
    model = figures.model,
    context = figures.context,
    cost = figures.cost,
  }
end

local function current()
  if not composed or version ~= activity.version() then
    composed, version = compose(), activity.version()
  end
  return composed
end

--- The text; empty while there is nothing to show.
---@return string
function M.text()
  return current().text
end

--- Redraw the status lines, and announce the text, if it is another. This follows the changes from now on.
function M.changed()
  local status = current()
  if status.text ~= announced then
    announced = status.text
    vim.cmd.redrawstatus({ bang = true })
    announce.event('ClaudeStatusChanged', status)
  end
end
activity.on_change(M.changed)

return M
