--- Checks the options without the host, which decodes them (`config.py`): `setup()` reports a wrong one
--- before anything is started.
local M = {}

local LARGEST_DISTANCE = 0.4 -- of the longer name
local ARTICLES =
  { boolean = 'a boolean', number = 'a number', string = 'a string', list = 'a list' }

---@alias claude_ide.OptionKind
---| 'string'
---| 'boolean'
---| 'size'
---| 'command'
---| 'environment'
---| 'globs'
---| 'agents'
---| 'prompts'
---| string[] all values; with `may_be_function`, a function is one, too

-- An inner table without numbers is a group of options.
local OPTIONS = {
  python = 'string',
  auto_start = 'boolean',
  keys = 'boolean',
  host = 'string',
  cmd = 'command',
  diff = {
    layout = { 'tab', 'vertical', 'horizontal', 'inline', may_be_function = true },
    focus = 'boolean',
  },
  terminal = {
    side = {
      'right',
      'left',
      'above',
      'below',
      'float',
      'tab',
      'tmux',
      'none',
      may_be_function = true,
    },
    size = 'size',
    per = { 'neovim', 'tab', 'worktree' },
    mode = {
      'manual',
      'acceptEdits',
      'plan',
      'auto',
      'dontAsk',
      'bypassPermissions',
      'default',
      '',
    },
    keys = 'boolean',
  },
  chat = {
    side = { 'right', 'left', 'above', 'below', 'float', 'tab' },
    size = 'size',
    model = 'string',
    mode = 'string',
    agent = 'string',
    render = 'boolean',
    follow = 'boolean',
  },
  ask = { model = 'string', window = { 'float', 'split' } },
  tools = { enabled = 'boolean', allow_read = 'boolean', clipboard = 'boolean' },
  changes = { signs = 'boolean' },
  hooks = 'boolean',
  privacy = { deny = 'globs', allow = 'globs' },
  agents = 'agents',
  prompts = 'prompts',
  log_level = { 'debug', 'info', 'warning', 'error' },
}

-- An entry of `agents`.
local AGENT = { cmd = 'command', env = 'environment', name = 'string', mcp = { 'stdio', 'http' } }

local function type_of(value)
  local is_list = type(value) == 'table' and vim.islist(value) and next(value) ~= nil
  return is_list and 'list' or type(value)
end

local function described(value)
  return ARTICLES[type_of(value)] or ('a %s'):format(type_of(value))
end

local function must_be(what, value)
  return (' must be %s, not %s'):format(what, described(value))
end

---@type table<string, fun(value: any): string?> by kind: what is wrong with a value
local CHECKS = {}

function CHECKS.string(value)
  return type(value) ~= 'string' and must_be('a string', value) or nil
end

function CHECKS.boolean(value)
  -- Older Vimscript configs write booleans as 0 and 1.
  local is_boolean = type(value) == 'boolean' or value == 0 or value == 1
  return not is_boolean and must_be('a boolean', value) or nil
end

function CHECKS.size(value)
  if type(value) ~= 'number' then
    return must_be('a number', value)
  end
  return value <= 0 and ' must be a number > 0' or nil
end

function CHECKS.command(value)
  if type(value) ~= 'string' and type(value) ~= 'table' then
    return must_be('a string or a list', value)
  elseif value == '' or next(type(value) == 'table' and value or { true }) == nil then
    return ' must not be empty'
  end
  local wrong = vim.iter(type(value) == 'table' and value or {}):find(function(word)
    return type(word) ~= 'string'
  end)
  return wrong ~= nil and ': each item' .. must_be('a string', wrong) or nil
end

function CHECKS.environment(value)
  if type(value) ~= 'table' or type_of(value) == 'list' then
    return must_be('a table', value)
  end
  local wrong = vim.iter(vim.tbl_values(value)):find(function(each)
    return type(each) ~= 'string' and type(each) ~= 'number'
  end)
  return wrong ~= nil and ': each item' .. must_be('a number or a string', wrong) or nil
end

function CHECKS.globs(value)
  if type(value) ~= 'table' or not vim.islist(value) then
    return must_be('a list', value)
  end
  for _, item in ipairs(value) do
    if type(item) ~= 'string' then
      return ': each item' .. must_be('a string', item)
    elseif item == '' then
      return ': each item must not be empty'
    end
  end
end

local function quoted(value)
  return ('"%s"'):format(tostring(value))
end

local function check_choice(value, choices)
  local is_function = type(value) == 'function' and choices.may_be_function
  if is_function or vim.list_contains(choices, value) then
    return nil
  elseif type(value) ~= 'string' then
    return must_be('a string', value)
  end
  local named = vim
    .iter(ipairs(choices))
    :map(function(_, choice)
      return quoted(choice)
    end)
    :join(', ')
  return (': %s is not one of %s'):format(quoted(value), named)
end

-- The number of letters to insert, delete or replace.
local function distance(one, other)
  local row = vim.fn.range(0, #other)
  for i = 1, #one do
    local diagonal, left = row[1], i
    row[1] = i
    for j = 1, #other do
      local cost = one:byte(i) == other:byte(j) and 0 or 1
      left = math.min(row[j + 1] + 1, left + 1, diagonal + cost)
      diagonal, row[j + 1] = row[j + 1], left
    end
  end
  return row[#other + 1]
end

local function hint(name, options)
  local best, least
  for option in vim.spairs(options) do
    local share = distance(name, option) / math.max(#name, #option)
    if share < (least or LARGEST_DISTANCE) then
      best, least = option, share
    end
  end
  return best and ('; did you mean %s?'):format(best) or ' (:help claude-ide-options)'
end

local check

-- Another name could not be an argument of a command.
local function check_agents(where, agents, complaints)
  if type(agents) ~= 'table' or type_of(agents) == 'list' then
    table.insert(complaints, where .. must_be('a table', agents))
    return
  end
  for id, entry in vim.spairs(agents) do
    local name = ('%s.%s'):format(where, id)
    if not tostring(id):find('^[%w_-]+$') then
      local problem = '%s: %s must have only letters, digits, - and _'
      table.insert(complaints, problem:format(where, quoted(id)))
    elseif entry ~= false and entry ~= 0 then
      check(name, entry, AGENT, complaints)
    end
  end
end

function CHECKS.prompts(value)
  if type(value) ~= 'table' or type_of(value) == 'list' then
    return must_be('a table', value)
  end
  for name, text in vim.spairs(value) do
    if not tostring(name):find('^[%w_-]+$') then
      return (': %s must have only letters, digits, - and _'):format(quoted(name))
    elseif type(text) ~= 'string' and text ~= false and text ~= 0 then
      return ('.%s'):format(name) .. must_be('a string', text)
    end
  end
end

---@return string? problem of one option
local function check_one(name, value, kind, complaints)
  if kind == 'agents' then
    return check_agents(name, value, complaints)
  elseif type(kind) == 'string' then
    return CHECKS[kind](value)
  elseif kind[1] then
    return check_choice(value, kind)
  end
  check(name, value, kind, complaints)
end

check = function(where, options, known, complaints)
  if type(options) ~= 'table' or type_of(options) == 'list' then
    table.insert(complaints, where .. must_be('a table', options))
    return
  end
  for key, value in vim.spairs(options) do
    local name, kind = ('%s.%s'):format(where, key), known[key]
    local problem = not kind and ' is not an option' .. hint(tostring(key), known)
      or kind and check_one(name, value, kind, complaints)
    if problem then
      table.insert(complaints, name .. problem)
    end
  end
end

--- What is wrong with options, one line for each.
---@param options any
---@return string[]
function M.complaints(options)
  local complaints = {}
  check('g:claude_ide', options, OPTIONS, complaints)
  return complaints
end

-- The names of several wrong options, in one line.
local function summary(complaints)
  local names = vim.tbl_map(function(complaint)
    return complaint:match('^g:claude_ide%.([%w_.]+)')
  end, complaints)
  return ('wrong options: %s (:ClaudeLog)'):format(table.concat(names, ', '))
end

--- Show what is wrong with options, in one line; the log has one for each.
---@param options any
function M.report(options)
  local complaints = M.complaints(options)
  local message = require('claude_ide.say.message')
  if #complaints == 1 then
    message.show(complaints[1], 'warn')
  elseif #complaints > 1 then
    for _, complaint in ipairs(complaints) do
      require('claude_ide.say.log').write('warn', complaint)
    end
    message.show_unlogged(summary(complaints), 'warn')
  end
end

return M
