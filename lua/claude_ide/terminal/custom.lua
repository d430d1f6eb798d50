--- The user's function that opens terminals (the option `terminal.side`). Only Neovim reads it: a function
--- cannot be passed to the host.
local message = require('claude_ide.say.message')
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

--- Call the user's function; an error is shown.
---@param open claude_ide.TerminalFunction
---@param terminal claude_ide.CustomTerminal
---@return integer? bufnr of the terminal; nil if it is not in this Neovim
function M.call(open, terminal)
  local ok, bufnr = pcall(open, terminal)
  if not ok then
    message.show(('terminal.side: %s'):format(bufnr), 'error')
  end
  local is_buffer = ok and type(bufnr) == 'number' and vim.api.nvim_buf_is_valid(bufnr)
  return is_buffer and bufnr or nil
end

return M
