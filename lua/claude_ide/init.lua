--- The public Lua API. It is optional: the commands work without it.
local M = {}

-- Why the plugin does not work in this Neovim; nil if it does.
local function refusal()
  return vim.fn.has('nvim-0.11') == 0 and require('claude_ide.requirement').refusal() or nil
end

--- Merge options into `g:claude_ide`, which has the same keys (`:help claude-ide-options`).
---@param options claude_ide.Options?
function M.setup(options)
  if refusal() then
    return require('claude_ide.requirement').report()
  end
  if vim.g.vscode then
    return
  end
  vim.validate('options', options, 'table', true)
  local merged = vim.tbl_deep_extend('force', vim.g.claude_ide or {}, options or {})
  if not pcall(vim.api.nvim_set_var, 'claude_ide', merged) then
    local given = vim.inspect(options):gsub('%s+', ' ')
    return vim.notify('claude-ide: setup(): not options: ' .. given, vim.log.levels.ERROR)
  end
  if next(vim.g.claude_ide) ~= nil then
    require('claude_ide.option_check').report(vim.g.claude_ide)
  end
  if vim.v.vim_did_enter == 1 and vim.g.claude_ide.auto_start then
    vim.cmd('ClaudeStart!')
  end
  if vim.v.vim_did_enter == 1 and vim.g.claude_ide.keys then
    vim.fn['claude_ide#suggested_keys#Define']()
  end
end

--- A short text for a status line, such as `Claude: wants you 2! 3? 4& · Opus 5.5 · 42% · $1.23`. After the
--- state follow the numbers of edits and plans that wait for the user to finish something (`!`), of chat
--- requests that wait for an answer (`?`), and of tasks that chats run in the background (`&`). `unshared`
--- says that the selection stays in Neovim (`:ClaudeShare`). Then follow the model, the used share of its
--- context and the cost, as far as the agent that was last active has reported them.
---@return string text empty while there is nothing to show
function M.statusline()
  return vim.fn['claude_ide#status#Text']()
end

--- What is known of the limits of your plan (`:help claude-ide.limits()`).
---@return claude_ide.Limit[] limits empty as long as no CLI has told any
function M.limits()
  return vim.fn['claude_ide#status#Limits']()
end

--- What agents have written and nobody has reviewed, and the remarks on it (`:help claude-ide.review()`).
---@return claude_ide.ReviewValue
function M.review()
  return require('claude_ide.review.overlay').value()
end

--- All sessions: of terminals, chats, the background and other editors, and the stored ones of the working
--- folder and its worktrees (`:help claude-ide.sessions()`).
---@return claude_ide.SessionValue[] sessions empty while no host runs
function M.sessions()
  return vim.fn['claude_ide#status#Sessions']()
end

--- Ask Claude one question (`:help claude-ide.ask()`).
---@param prompt string
---@param options claude_ide.AskOptions?
---@param callback fun(err: string?, result: string|table|nil) called once, with an error or an answer
---@return { cancel: fun(self) }
function M.ask(prompt, options, callback)
  local obstacle = refusal() or vim.g.vscode and 'claude-ide is off in VS Code'
  if obstacle then
    callback(obstacle)
    return { cancel = function() end }
  end
  require('claude_ide.session')
  return require('claude_ide.headless').ask(prompt, options, callback)
end

--- Put a text into the prompt of the chat or of a CLI, or send it (`:help claude-ide.send()`).
---@param text string
---@param options claude_ide.SendOptions?
function M.send(text, options)
  local obstacle = refusal() or vim.g.vscode and 'claude-ide is off in VS Code'
  if obstacle then
    error(obstacle, 0)
  end
  require('claude_ide.session')
  require('claude_ide.sending').send(text, options)
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
