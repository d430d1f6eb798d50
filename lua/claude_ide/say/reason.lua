--- Why something failed, in Neovim's or the plugin's own words.
local M = {}

-- What is put before an error on its way: where it was raised, and what it passed through.
local PASSED = {
  'Error executing lua: ',
  'Lua: ',
  '%[string "[^"]*"%]:%d+: ',
  '[^:]*%.lua:%d+: ',
  'nvim_exec2%(%)[^:]*: ',
  '.-function [^ ,]+, line %d+: ',
  'Vim%b():',
  'Vim:',
}

local function without_first(line)
  for _, passed in ipairs(PASSED) do
    local _, last = line:find('^' .. passed)
    if last then
      return line:sub(last + 1)
    end
  end
end

--- An error as one line, without what was put before it on its way.
---@param err any
---@return string
function M.of(err)
  local line = vim.split(tostring(err), '\n', { plain = true })[1]
  local shorter = without_first(line)
  while shorter do
    line, shorter = shorter, without_first(shorter)
  end
  return line
end

local function attempt(fn, ...)
  local ok, result = pcall(fn, ...)
  if ok then
    return { true, result }
  end
  return { false, M.of(result) }
end

--- Call `module.name` for the host.
---@param module string
---@param name string
---@param ... any
---@return { [1]: boolean, [2]: any } outcome whether it worked; its result, or why not
function M.attempt(module, name, ...)
  return attempt(function(...)
    return require('claude_ide.' .. module)[name](...)
  end, ...)
end

--- Call `module.name` for the host, and encode its result as JSON.
---@param module string
---@param name string
---@param ... any
---@return { [1]: boolean, [2]: string } outcome whether it worked; the JSON, or why not
function M.attempt_json(module, name, ...)
  return attempt(function(...)
    return vim.json.encode(require('claude_ide.' .. module)[name](...))
  end, ...)
end

return M
