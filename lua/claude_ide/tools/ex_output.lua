--- The output of commands that only show something.
local quiet = require('claude_ide.messages.quiet')

local M = {}

-- By the names that the model gives. None takes an argument, and none shows registers, variables or the
-- history, in which secrets may be.
local COMMANDS = {
  abbreviations = 'abbreviate',
  arguments = 'args',
  autocommands = 'autocmd',
  changed_options = 'set',
  commands = 'command',
  diff_options = 'set diffopt?',
  filetype = 'filetype',
  highlights = 'highlight',
  insert_maps = 'verbose imap',
  normal_maps = 'verbose nmap',
  scripts = 'scriptnames',
  signs = 'sign list',
  spelling = 'spellinfo',
  syntax = 'syntax',
  tabs = 'tabs',
  terminal_maps = 'verbose tmap',
  version = 'version',
  visual_maps = 'verbose xmap',
}

--- The output of one of these commands, in lines.
---@type claude_ide.Tool
function M.show(arguments, answer)
  local command = COMMANDS[arguments.command]
  if not command then
    return answer({ error = ('there is no command %s here'):format(arguments.command) })
  end
  local output = quiet.run(function()
    return vim.fn.execute(command, 'silent!')
  end)
  answer({ lines = vim.split(vim.trim(output), '\n', { plain = true }) })
end

return M
