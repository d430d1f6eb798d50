--- How git is run: so that the configuration of a repository, which may come out of an archive, starts
--- no program (`python/claude_ide/git.py` is the same for the host).
local program = require('claude_ide.system.program')

local M = {}

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

--- The words that run git.
---@param ... string its command, and what belongs to it
---@return string[]
function M.command(...)
  -- Nothing can be run by an empty name. By `git`, what a project has put on PATH might be.
  local git = program.find('git') or ''
  return vim.iter({ git, OPTIONS, { ... } }):flatten():totable()
end

return M
