--- The Lua face of the plugin. Everything here is optional: the commands work without it.
local M = {}

--- Set options; the same keys as in `g:claude_ide`, which it fills (`:help claude-ide-options`).
---@param options table?
function M.setup(options)
  vim.validate('options', options, 'table', true)
  vim.g.claude_ide = vim.tbl_deep_extend('force', vim.g.claude_ide or {}, options or {})
  if vim.v.vim_did_enter == 1 and vim.g.claude_ide.auto_start then
    vim.cmd('ClaudeStart!')
  end
end

--- A few characters for a status line: empty while no server runs, else how many are connected;
--- with an exclamation mark how many edits and plans are held back by what the user does, and with a
--- question mark how many requests of chats wait for an answer.
---@return string
function M.statusline()
  local host = package.loaded['claude_ide.host']
  local server = host and host.server()
  local parts = { server and ('claude:%d'):format(server.clients) }
  for _, mark in ipairs({ { 'claude_ide.diff.waiting', '!' }, { 'claude_ide.chat.waiting', '?' } }) do
    local waiting = package.loaded[mark[1]]
    local count = waiting and waiting.count() or 0
    if count > 0 then
      table.insert(parts, count .. mark[2])
    end
  end
  return table.concat(parts, ' ')
end

--- Ask Claude one question; `callback` is called once, with an error or the answer
--- (`:help claude-ide.ask()`).
---@param prompt string
---@param options claude_ide.AskOptions?
---@param callback fun(err: string?, result: string|table|nil)
---@return { cancel: fun(self) }
function M.ask(prompt, options, callback)
  require('claude_ide.session')
  return require('claude_ide.question').ask(prompt, options, callback)
end

return M
