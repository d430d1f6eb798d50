--- The user's own tools for the model, and which tools are off. They outlive a host: it gets all of them
--- when it starts, and again with each change.
local channel = require('claude_ide.channel')
local reason = require('claude_ide.messages.reason')

local M = {}

---@class claude_ide.OwnTool a tool for the model (`:help claude-ide-own-tools`)
---@field name string 1 to 50 letters, digits, `_` and `-`
---@field description string what the tool does, for the model
---@field fn fun(arguments: table, answer: claude_ide.OwnAnswer): any returns the answer, or gives it later
---@field schema? table the JSON schema of the arguments; without it they are not checked
---@field title? string its name for people
---@field read_only? boolean whether it changes nothing
---@field timeout? number of seconds; the default is 60

---@alias claude_ide.OwnAnswer fun(result: any, failure?: string) `failure` is an error of the tool

---@type table<string, string> the type of each field; `?` means that it can be absent
local FIELDS = {
  name = 'string',
  description = 'string',
  fn = 'function',
  schema = 'table?',
  title = 'string?',
  read_only = 'boolean?',
  timeout = 'number?',
}

local tools = {} ---@type table<string, claude_ide.OwnTool>
local order = {} ---@type string[]
local off = {} ---@type table<string, true>
local known = {} ---@type string[] the names of all tools, also built-in ones, once a host has them
local foreign = {} ---@type string[] those of them that are not in `tools`

local function described(name)
  local description = vim.tbl_extend('force', tools[name], {})
  description.fn = nil
  return description
end

-- JSON, which keeps what Vimscript says about empty tables.
local function report()
  if channel.id then
    local state = { tools = vim.tbl_map(described, order), off = vim.tbl_keys(off) }
    channel.emit('own_tools', { json = vim.json.encode(state) })
  end
end

-- What is wrong with a field of the wrong type, or with an unknown one.
local function problem_of_types(tool)
  for field, kind in vim.spairs(FIELDS) do
    local value, wanted = tool[field], kind:gsub('%?$', '')
    local fits = value == nil and wanted ~= kind
      or type(value) == wanted
      or wanted == 'function' and vim.is_callable(value)
    if not fits then
      return ('%s must be a %s, not %s'):format(field, wanted, type(value))
    end
  end
  for field in pairs(tool) do
    if not FIELDS[field] then
      return ('there is no field %s'):format(tostring(field))
    end
  end
end

-- What is wrong with a schema, as far as it matters here: the host checks the rest (`mcp/user_tools.py`).
local function problem_of_schema(schema)
  local ok, reason_of_json = pcall(vim.json.encode, schema)
  if not ok then
    return reason.of(reason_of_json)
  elseif next(schema) ~= nil and vim.islist(schema) then
    return 'must be an object'
  elseif schema.type ~= nil and schema.type ~= 'object' then
    return 'type: must be object'
  end
end

---@return string? what is wrong with a tool
local function problem_of(tool)
  local of_types = problem_of_types(tool)
  if of_types then
    return of_types
  elseif #tool.name > 50 or not tool.name:find('^[%w_-]+$') then
    return 'a name has 1 to 50 letters, digits, _ and -'
  elseif vim.list_contains(foreign, tool.name) then
    return 'another tool has this name'
  elseif vim.trim(tool.description) == '' then
    return 'description is missing: the model chooses a tool by it'
  elseif tool.timeout and not (tool.timeout > 0 and tool.timeout < math.huge) then
    return 'timeout must be a number of seconds above 0'
  end
  local of_schema = tool.schema and problem_of_schema(tool.schema)
  return of_schema and 'schema: ' .. of_schema or nil
end

--- Add a tool, or replace the one with the same name. Raises an error that names what is wrong with it.
---@param tool claude_ide.OwnTool
function M.add(tool)
  vim.validate('tool', tool, 'table')
  local problem = problem_of(tool)
  if problem then
    local name = type(tool.name) == 'string' and tool.name .. ': ' or ''
    error(('claude-ide: add_tool: %s%s'):format(name, problem), 0)
  end
  if not tools[tool.name] then
    table.insert(order, tool.name)
  end
  tools[tool.name] = vim.deepcopy(tool)
  report()
end

local function is_true(value)
  return value == true or type(value) == 'number' and value ~= 0
end

--- Add a tool of Vimscript, whose function, which Lua cannot hold, `claude_ide#_call()` finds by its name.
---@param tool table without `fn`; `later`: it answers by its second argument
function M.add_vimscript(tool)
  local name, later = tool.name, is_true(tool.later)
  local function call(arguments, answer)
    return vim.fn['claude_ide#_call'](name, arguments, answer or vim.NIL)
  end
  tool.later = nil
  if type(tool.read_only) == 'number' then
    tool.read_only = is_true(tool.read_only)
  end
  tool.fn = later and function(arguments, answer)
    call(arguments, answer)
  end or function(arguments)
    return call(arguments)
  end
  M.add(tool)
end

--- Remove a tool that was added.
---@param name string
---@return boolean is_removed false if there is no such tool
function M.remove(name)
  if not tools[name] then
    return false
  end
  tools[name] = nil
  order = vim.tbl_filter(function(other)
    return other ~= name
  end, order)
  report()
  return true
end

--- Turn a tool on or off, also a built-in one.
---@type fun(name: string, on: boolean)
function M.turn(name, on)
  off[name] = not on or nil
  report()
end

--- Called by the host with the names of all tools.
---@param names string[]
---@param others string[] those of them that were not added here
function M.know(names, others)
  known, foreign = names, others
end

--- Complete the arguments of `:ClaudeTools`.
---@type fun(lead: string, line: string): string[]
function M.complete(lead, line)
  local before = vim.split(vim.trim(line:sub(1, #line - #lead)), '%s+')
  local candidates = {}
  if #before == 1 then
    candidates = { 'off', 'on' }
  elseif #before == 2 then
    candidates = vim.tbl_filter(function(name)
      return (off[name] == true) == (before[2] == 'on')
    end, #known > 0 and known or order)
  end
  return vim.fn['claude_ide#arguments#Beginning'](candidates, lead)
end

--- A host has started: it needs them.
function M.host_started()
  if #order > 0 or next(off) then
    report()
  end
end

-- Whether a function answers later: then it has a second parameter, after the callable table itself.
local function answers_later(fn)
  local is_table = type(fn) == 'table'
  local info = debug.getinfo(is_table and getmetatable(fn).__call or fn, 'u')
  return info.isvararg or info.nparams > (is_table and 2 or 1)
end

-- The text of whatever a tool raises; one with an unknown shape is shown as it is, in one line.
local function text_of(raised)
  local message = type(raised) == 'table' and rawget(raised, 'message')
  if type(raised) ~= 'table' or (getmetatable(raised) or {}).__tostring then
    return tostring(raised)
  end
  return type(message) == 'string' and message
    or vim.inspect(raised, { newline = ' ', indent = '' })
end

-- The model gets the reason; the whole is for the log.
local function failure_of(raised, has_traceback)
  local text = text_of(raised)
  return { failure = reason.of(text), whole = has_traceback and debug.traceback(text, 3) or text }
end

local function raised_by_tool(raised)
  return failure_of(raised, true)
end

--- Run a tool.
---@param request { name: string, arguments: table }
---@param answer claude_ide.ToolAnswer
---@return fun()? cancel
function M.call(request, answer)
  local tool = tools[request.name]
  if not tool then
    return answer(failure_of('it has been removed'))
  end
  local function finish(result, failure)
    local is_json, problem = pcall(vim.json.encode, result)
    if failure ~= nil then
      answer(failure_of(failure))
    elseif not is_json then
      answer(failure_of(('its answer is no JSON: %s'):format(reason.of(problem))))
    else
      answer({ result = result == nil and vim.NIL or result })
    end
  end
  local ok, result = xpcall(tool.fn, raised_by_tool, request.arguments, finish)
  if not ok then
    answer(result)
  elseif not answers_later(tool.fn) or result ~= nil and type(result) ~= 'function' then
    finish(result)
  elseif type(result) == 'function' then
    return result
  end
end

return M
