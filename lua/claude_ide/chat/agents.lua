--- The agents that a new chat can have: Claude, the built-in entries of `known.json`, and the user's.
local ui = require('claude_ide.ui.vim_ui')
local message = require('claude_ide.messages.message')
local moment = require('claude_ide.timing.moment')
local program = require('claude_ide.system.program')

local M = {}

---@class claude_ide.ChatAgent
---@field id string
---@field name string
---@field cmd string|string[]

local FILE = '/python/claude_ide/agents/acp/known.json'

local known ---@type table<string, claude_ide.ChatAgent>?

---@return table<string, claude_ide.ChatAgent>
local function built_in()
  if not known then
    local path = require('claude_ide.host').root() .. FILE
    known = vim.json.decode(table.concat(vim.fn.readfile(path), '\n'))
  end
  return known
end

---@return table
local function options()
  local given = vim.g.claude_ide
  return type(given) == 'table' and given or {}
end

-- The fields of an entry that are valid; `config.py` reports the others.
local function merged(id, entry, base)
  local is_named = type(entry.name) == 'string' and entry.name ~= '' and id ~= 'claude'
  local is_command = type(entry.cmd) == 'string' or type(entry.cmd) == 'table'
  return {
    name = is_named and entry.name or base and base.name or id,
    cmd = is_command and entry.cmd or base and base.cmd,
  }
end

-- As `known.py`, which reports an entry without a command.
---@return table<string, claude_ide.ChatAgent>
local function all()
  local claude = { name = 'Claude', cmd = options().cmd or 'claude' }
  local found = vim.tbl_extend('error', { claude = claude }, built_in())
  local own = options().agents
  for id, entry in pairs(type(own) == 'table' and own or {}) do
    if entry == false or entry == 0 then
      found[id] = nil
    elseif type(id) == 'string' and type(entry) == 'table' and (found[id] or entry.cmd) then
      found[id] = merged(id, entry, found[id])
    end
  end
  return found
end

---@return claude_ide.ChatAgent[] in the order in which they are offered
local function list()
  local found = {}
  for id, entry in vim.spairs(all()) do
    local agent = { id = id, name = entry.name, cmd = entry.cmd }
    table.insert(found, id == 'claude' and 1 or #found + 1, agent)
  end
  return found
end

---@param agent claude_ide.ChatAgent
local function is_installed(agent)
  local cmd = agent.cmd
  local name = type(cmd) == 'table' and cmd[1] or cmd
  if type(name) ~= 'string' then
    return false
  end
  local whole = vim.fs.normalize(name)
  local first = type(cmd) == 'string' and whole:match('^%S+') or whole
  return program.find_cli(whole) ~= nil or program.find_cli(first or '') ~= nil
end

--- The ids of all agents, the usual ones first.
---@return string[]
function M.ids()
  return vim.tbl_map(function(agent)
    return agent.id
  end, list())
end

---@param id string
---@return claude_ide.ChatAgent?
function M.find(id)
  return vim.iter(list()):find(function(agent)
    return agent.id == id
  end)
end

---@return string id that the user has chosen, or ''
local function chosen()
  local chat = options().chat
  local id = type(chat) == 'table' and chat.agent
  return type(id) == 'string' and id or ''
end

--- The agent that the host will probably use if none is named; the host itself decides.
---@return claude_ide.ChatAgent
function M.usual()
  local agents = list()
  local wanted = chosen()
  local usual = wanted ~= '' and M.find(wanted) or vim.iter(agents):find(is_installed)
  return usual or agents[1] or { id = 'claude', name = 'Claude', cmd = 'claude' }
end

--- Have the user choose one of the agents that are installed. There is no question if the option
--- `chat.agent` has the answer, or only one is installed.
---@param go_on fun(agent?: claude_ide.ChatAgent) not called if the user chooses none; nil for the usual one
function M.choose(go_on)
  local installed = chosen() == '' and vim.tbl_filter(is_installed, list()) or {}
  if #installed < 2 then
    return go_on()
  end
  local names = vim.tbl_map(function(agent)
    return agent.name
  end, installed)
  moment.when_harmless(function()
    ui.select('New chat with:', names, function(index)
      if index then
        go_on(installed[index])
      end
    end)
  end, function(reason)
    message.show(reason, 'error')
  end)
end

return M
