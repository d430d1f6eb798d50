--- Tools that the user writes in Vimscript (`autoload/claude_ide.vim`), whose functions Lua cannot hold.
local own = require('claude_ide.tools.own')

local M = {}

---@class claude_ide.VimscriptTool: claude_ide.OwnTool without `fn`
---@field later? boolean|integer whether it answers by its second argument

local function is_true(value)
  return value == true or type(value) == 'number' and value ~= 0
end

--- Add a tool whose function `claude_ide#_call()` finds by its name.
---@param tool claude_ide.VimscriptTool
function M.add(tool)
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
  own.add(tool)
end

return M
