--- Runs git so that the configuration of a repository cannot start a program: the repository may
--- come from an untrusted archive. `python/claude_ide/git.py` does the same in the host.
local program = require('claude_ide.system.program')

local M = {}

--- The environment variables that git is run with.
---@type table<string, string>
M.ENVIRONMENT = {
  GIT_OPTIONAL_LOCKS = '0',
  GIT_TERMINAL_PROMPT = '0',
  GIT_NO_LAZY_FETCH = '1',
  GIT_ALLOW_PROTOCOL = 'none',
}

local OPTIONS = {
  '--no-pager',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'submodule.recurse=false',
}

--- A command line that runs git.
---@param ... string the git command and its arguments
---@return string[]
function M.command(...)
  -- An empty name runs nothing. The name `git` could run a program that the project has put on PATH.
  local git = program.find('git') or ''
  return vim.iter({ git, OPTIONS, { ... } }):flatten():totable()
end

return M
