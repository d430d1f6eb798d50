--- The public Lua API. It is optional: the commands work without it.
local requirement = require('claude_ide.requirement')

local M = {}

--- Merge options into `g:claude_ide`, which has the same keys (`:help claude-ide-options`).
---@param options claude_ide.Options?
function M.setup(options)
  if requirement.refusal() then
    return requirement.report()
  end
  vim.validate('options', options, 'table', true)
  vim.g.claude_ide = vim.tbl_deep_extend('force', vim.g.claude_ide or {}, options or {})
  require('claude_ide.option_check').report(vim.g.claude_ide)
  if vim.v.vim_did_enter == 1 and vim.g.claude_ide.auto_start then
    vim.cmd('ClaudeStart!')
  end
end

--- A short text for a status line, such as `claude:1 2! 3? 4&`: the number of connected clients, of
--- edits and plans that wait for the user to finish something (`!`), of chat requests that wait for
--- an answer (`?`), and of tasks that chats run in the background (`&`).
---@return string text empty while there is nothing to show
function M.statusline()
  local host = package.loaded['claude_ide.host']
  local server = host and host.server()
  local parts = { server and ('claude:%d'):format(server.clients) }
  for _, mark in ipairs({
    { 'claude_ide.diff.waiting', '!' },
    { 'claude_ide.chat.waiting', '?' },
    { 'claude_ide.chat.tasks', '&' },
  }) do
    local waiting = package.loaded[mark[1]]
    local count = waiting and waiting.count() or 0
    if count > 0 then
      table.insert(parts, count .. mark[2])
    end
  end
  return table.concat(parts, ' ')
end

--- Ask Claude one question (`:help claude-ide.ask()`).
---@param prompt string
---@param options claude_ide.AskOptions?
---@param callback fun(err: string?, result: string|table|nil) called once, with an error or an answer
---@return { cancel: fun(self) }
function M.ask(prompt, options, callback)
  local refusal = requirement.refusal()
  if refusal then
    callback(refusal)
    return { cancel = function() end }
  end
  require('claude_ide.session')
  return require('claude_ide.question').ask(prompt, options, callback)
end

return M
