--- Extracts the reason from an error.
local M = {}

-- The prefixes that an error collects: where it was raised, and what it passed through.
local PREFIXES = {
  'Error executing lua:? ',
  'Lua: ',
  'E5108: ',
  'Lua callback: ',
  'claude%-ide: ',
  '%[string "[^"]*"%]:%d+: ',
  '[^:]*%.lua:%d+: ',
  'nvim_exec2%(%)[^:]*: ',
  '.-function [^ ,]+, line %d+: ',
  'Vim%b():',
  'Vim:',
}

local function without_prefix(line)
  for _, prefix in ipairs(PREFIXES) do
    local _, last = line:find('^' .. prefix)
    if last then
      return line:sub(last + 1)
    end
  end
end

--- The first line of an error, without its prefixes.
---@type fun(err: any): string
function M.of(err)
  local line = vim.split(tostring(err), '\n', { plain = true })[1]
  local shorter = without_prefix(line)
  while shorter do
    line, shorter = shorter, without_prefix(shorter)
  end
  -- It announces lines that are not shown.
  return (line:gsub(':$', ''))
end

local function attempt(fn, ...)
  local ok, result = pcall(fn, ...)
  if ok then
    return { true, result }
  end
  return { false, M.of(result) }
end

--- A function of a module.
---@param module string empty for a function of Vim script
---@param name string
---@return function
function M.found(module, name)
  return module == '' and vim.fn[name] or require('claude_ide.' .. module)[name]
end

--- Call `module.name` for the host.
---@param module string empty for a function of Vim script
---@param name string
---@param ... any
---@return { [1]: boolean, [2]: any } outcome true and its result, or false and the reason
function M.attempt(module, name, ...)
  return attempt(function(...)
    return M.found(module, name)(...)
  end, ...)
end

--- Call `module.name` for the host, and encode its result as JSON.
---@param module string
---@param name string
---@param ... any
---@return { [1]: boolean, [2]: string } outcome true and the JSON, or false and the reason
function M.attempt_json(module, name, ...)
  return attempt(function(...)
    return vim.json.encode(M.found(module, name)(...))
  end, ...)
end

return M
