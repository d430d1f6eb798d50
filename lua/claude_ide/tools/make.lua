--- The user's own 'makeprg', which the host runs for the model (`mcp/model/making.py`), and the list of what
--- it reports.
local place = require('claude_ide.tools.place')
local shell_command = require('claude_ide.system.shell_command')

local M = {}

local api = vim.api

local function option(bufnr, name)
  local value = vim.bo[bufnr][name]
  return value ~= '' and value or vim.go[name]
end

--- The command that would be run, its folder, its shell and its environment.
---@type claude_ide.Tool
function M.command(_, answer)
  local window = place.window()
  local bufnr = api.nvim_win_get_buf(window)
  local words = option(bufnr, 'makeprg'):gsub('%$%*', '')
  answer({
    command = vim.trim(shell_command.expand(bufnr, words)),
    folder = api.nvim_win_call(window, vim.fn.getcwd),
    efm = option(bufnr, 'errorformat'),
    shell = vim.list_extend({ vim.o.shell }, vim.split(vim.o.shellcmdflag, ' ')),
    environment = vim.fn.environ(),
  })
end

--- Put what the command has printed into a new list after all others. Answers how many places 'errorformat'
--- has found, which Vim script counts: converting all entries takes much longer.
---@type claude_ide.Tool
function M.fill(arguments, answer)
  vim.fn.setqflist({}, ' ', {
    nr = '$',
    title = ':' .. arguments.command,
    lines = arguments.lines,
    efm = arguments.efm,
  })
  api.nvim_exec_autocmds('QuickFixCmdPost', { pattern = 'make' })
  answer({ entries = api.nvim_eval("len(filter(getqflist(), 'v:val.valid'))") })
end

return M
