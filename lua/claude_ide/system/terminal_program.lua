--- Starts programs in terminal buffers.
local without_events = require('claude_ide.messages.without_events')

local M = {}

-- Neovim 0.11 loses what a program prints before the autocommands for the buffer's first name have run,
-- EditorConfig's among them. Every caller gives the buffer another name.
local NAMING = { 'BufFilePre', 'BufFilePost' }

--- Start a program in the current buffer, which becomes its terminal. Raises an error if that is impossible.
---@param command string[] the program is an absolute path
---@param options table more options of `jobstart()`
function M.start(command, options)
  without_events.run(NAMING, function()
    vim.fn.jobstart(command, vim.tbl_extend('error', options, { term = true }))
  end)
end

return M
