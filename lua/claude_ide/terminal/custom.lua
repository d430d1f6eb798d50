--- The user's function that opens terminals (the option `terminal.side`). Only Neovim reads it: a function
--- cannot be passed to the host.
local message = require('claude_ide.messages.message')
local own_options = require('claude_ide.own_options')

local M = {}

--- Opens a terminal and returns its buffer; nil if the CLI runs outside Neovim.
---@alias claude_ide.TerminalFunction fun(terminal: claude_ide.CustomTerminal): integer?

---@class claude_ide.CustomTerminal
---@field cmd? string[] the command to run; nil to show a terminal again
---@field cwd? string the folder to run it in
---@field env? table<string,string> variables for its environment; they contain secrets
---@field bufnr? integer the buffer to show again

--- The user's function, if there is one.
---@return claude_ide.TerminalFunction?
function M.find()
  return own_options.as_function('terminal', 'side')
end

local function is_buffer(value)
  return type(value) == 'number' and vim.api.nvim_buf_is_valid(value)
end

--- Call the user's function. An error is shown, and so is a result that is no buffer.
---@param open claude_ide.TerminalFunction
---@param terminal claude_ide.CustomTerminal
---@return integer? bufnr of the terminal; nil if it is not in this Neovim
function M.call(open, terminal)
  local ok, result = pcall(open, terminal)
  if not ok then
    message.show(('terminal.side: %s'):format(result), 'error')
  elseif terminal.cmd and result ~= nil and not is_buffer(result) then
    local shown = vim.inspect(result, { newline = ' ', indent = '' })
    message.show(('terminal.side returned %s, not a buffer; nil: none here'):format(shown), 'error')
  end
  return ok and is_buffer(result) and result or nil
end

return M
