--- The public Lua API. It is optional: the commands work without it.
local requirement = require('claude_ide.requirement')

local M = {}

--- Merge options into `g:claude_ide`, which has the same keys (`:help claude-ide-options`).
---@param options claude_ide.Options?
function M.setup(options)
  if requirement.refusal() then
    return requirement.report()
  end
  if vim.g.vscode then
    return
  end
  vim.validate('options', options, 'table', true)
  vim.g.claude_ide = vim.tbl_deep_extend('force', vim.g.claude_ide or {}, options or {})
  require('claude_ide.option_check').report(vim.g.claude_ide)
  if vim.v.vim_did_enter == 1 and vim.g.claude_ide.auto_start then
    vim.cmd('ClaudeStart!')
  end
  if vim.v.vim_did_enter == 1 and vim.g.claude_ide.keys then
    require('claude_ide.suggested_keys').define()
  end
end

-- The number of something, from a module that counts it; nothing is loaded for this.
local function count(module)
  local counting = package.loaded[module]
  return counting and counting.count() or 0
end

-- Whether any chat's agent is working, and the name of the agent that is working or waiting; of several
-- agents, that of the plugin.
---@return boolean is_working
---@return string name
local function work()
  local is_working, names = false, {} ---@type boolean, table<string, true>
  local chats = package.loaded['claude_ide.chat.state']
  for _, chat in ipairs(chats and chats.list() or {}) do
    is_working = is_working or chat.is_working
    if chat.is_working or (chat.requests or 0) > 0 then
      names[chats.agent_name(chat)] = true
    end
  end
  local name = next(names)
  return is_working, name and next(names, name) == nil and name or 'Claude'
end

-- The most important of several states.
local function state_of(server, waiting, is_working)
  if waiting > 0 then
    return 'waiting'
  elseif is_working then
    return 'working'
  elseif server.clients > 1 then
    return server.clients .. ' connected'
  end
  return server.clients == 1 and 'connected' or 'ready'
end

-- Whether the user keeps the selection in Neovim.
local function is_withheld()
  local selection = package.loaded['claude_ide.selection']
  return selection ~= nil and not selection.is_shared()
end

--- A short text for a status line, such as `Claude: waiting 2! 3? 4&`. After the state follow the numbers
--- of edits and plans that wait for the user to finish something (`!`), of chat requests that wait for an
--- answer (`?`), and of tasks that chats run in the background (`&`). `unshared` says that the selection
--- stays in Neovim (`:ClaudeShare`).
---@return string text empty while there is nothing to show
function M.statusline()
  local host = package.loaded['claude_ide.host']
  local server = host and host.server()
  local edits, requests = count('claude_ide.diff.waiting'), count('claude_ide.chat.waiting')
  local tasks = count('claude_ide.chat.tasks')
  local is_working, name = work()
  local state = server and state_of(server, edits + requests, is_working)
  local parts = { state and ('%s: %s'):format(name, state) }
  for _, mark in ipairs({ { edits, '!' }, { requests, '?' }, { tasks, '&' } }) do
    if mark[1] > 0 then
      table.insert(parts, mark[1] .. mark[2])
    end
  end
  if state and is_withheld() then
    table.insert(parts, 'unshared')
  end
  return table.concat(parts, ' ')
end

--- Ask Claude one question (`:help claude-ide.ask()`).
---@param prompt string
---@param options claude_ide.AskOptions?
---@param callback fun(err: string?, result: string|table|nil) called once, with an error or an answer
---@return { cancel: fun(self) }
function M.ask(prompt, options, callback)
  local refusal = requirement.refusal() or vim.g.vscode and 'claude-ide is off in VS Code'
  if refusal then
    callback(refusal)
    return { cancel = function() end }
  end
  require('claude_ide.session')
  return require('claude_ide.question').ask(prompt, options, callback)
end

--- Give the model a tool, or replace the one with the same name (`:help claude-ide-own-tools`).
---@param tool claude_ide.OwnTool
function M.add_tool(tool)
  require('claude_ide.tools.own').add(tool)
end

--- Set which files `:ClaudeSend` and `:ClaudeAdd %` mention in buffers of a filetype that list files
--- (`:help claude-ide.add_source()`).
---@param filetype string
---@param source claude_ide.MentionSource|false
function M.add_source(filetype, source)
  require('claude_ide.selection.sources').add(filetype, source)
end

--- Take away a tool that was added.
---@param name string
---@return boolean is_removed false if there is no such tool
function M.remove_tool(name)
  return require('claude_ide.tools.own').remove(name)
end

return M
