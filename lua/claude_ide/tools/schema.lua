--- Checks the JSON schema of a tool when the user adds it. The host checks it by the same schema
--- (`python/claude_ide/mcp/own/schema.json`), and also what only its library knows, such as patterns.
local M = {}

local RULES = 'python/claude_ide/mcp/own/schema.json'

local rules ---@type table<string, any>?

local function load()
  if not rules then
    local path = vim.fs.joinpath(require('claude_ide.host.python').root, RULES)
    rules = vim.json.decode(table.concat(vim.fn.readfile(path), '\n'))
  end
  return rules
end

-- An empty table of Lua is a list or an object.
local function is_list(value)
  return type(value) == 'table' and vim.islist(value)
end

local function is_empty(value)
  return is_list(value) and next(value) == nil
end

---@type table<string, fun(value: any): boolean>
local TYPES = {
  array = is_list,
  object = function(value)
    return type(value) == 'table'
      and vim.iter(vim.tbl_keys(value)):all(function(key)
        return type(key) == 'string'
      end)
  end,
  integer = function(value)
    return type(value) == 'number' and value % 1 == 0
  end,
}

local function has_type(value, name)
  local check = TYPES[name]
  if check then
    return check(value)
  end
  return type(value) == name
end

local check ---@type fun(value: any, rule: table, place: string[]): string?

local function at(place, problem)
  return #place > 0 and ('%s: %s'):format(table.concat(place, '.'), problem) or problem
end

local function inside(place, key)
  return vim.list_extend({ unpack(place) }, { tostring(key) })
end

---@type table<string, fun(value: any, part: any, place: string[], rule: table): string?> by keyword
local CHECKS = {}

CHECKS['$ref'] = function(value, path, place)
  return check(value, load().definitions[path:match('[^/]*$')], place)
end

function CHECKS.type(value, names, place)
  names = type(names) == 'table' and names or { names }
  local fits = vim.iter(names):any(function(name)
    return has_type(value, name)
  end)
  return not fits and at(place, 'must be ' .. table.concat(names, ' or ')) or nil
end

function CHECKS.enum(value, choices, place)
  local listed = table.concat(choices, ', ')
  return not vim.list_contains(choices, value) and at(place, 'must be one of ' .. listed) or nil
end

CHECKS['if'] = function(value, condition, place, rule)
  local holds = not is_empty(value) and not check(value, condition, place)
  return check(value, holds and rule['then'] or rule['else'], place)
end

function CHECKS.allOf(value, each, place)
  return vim
    .iter(each)
    :map(function(rule)
      return check(value, rule, place)
    end)
    :next()
end

function CHECKS.pattern(value, pattern, place)
  local fits = vim.regex(pattern):match_str(value)
  return not fits and at(place, ('must match %s'):format(pattern)) or nil
end

function CHECKS.properties(value, properties, place)
  for key, rule in vim.spairs(type(value) == 'table' and properties or {}) do
    local problem = value[key] ~= nil and check(value[key], rule, inside(place, key))
    if problem then
      return problem
    end
  end
end

function CHECKS.additionalProperties(value, rule, place)
  for key, part in vim.spairs(value) do
    local problem = check(part, rule, inside(place, key))
    if problem then
      return problem
    end
  end
end

function CHECKS.items(value, rule, place)
  for number, part in ipairs(value) do
    local problem = check(part, rule, inside(place, number))
    if problem then
      return problem
    end
  end
end

function CHECKS.minItems(value, least, place)
  return #value < least and at(place, 'must not be empty') or nil
end

function CHECKS.minimum(value, least, place)
  return value < least and at(place, ('must be at least %d'):format(least)) or nil
end

-- The order in which an error is looked for: the type first, which the others rely on.
local ORDER = { '$ref', 'type', 'enum', 'allOf', 'if', 'minItems', 'items', 'minimum', 'pattern' }
vim.list_extend(ORDER, { 'properties', 'additionalProperties' })

check = function(value, rule, place)
  for _, keyword in ipairs(ORDER) do
    local part = rule[keyword]
    local problem = part ~= nil and CHECKS[keyword](value, part, place, rule)
    if problem then
      return problem
    end
  end
end

--- What is wrong with a schema, with the place; nil if nothing is.
---@param schema table
---@return string?
function M.problem(schema)
  return check(schema, load(), {})
end

return M
