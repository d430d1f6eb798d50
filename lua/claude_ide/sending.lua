--- What sends texts to prompts in Neovim (`autoload/claude_ide/sending.vim`): the function, the commands, and
--- the prompts of the option `prompts`.
local contexts = require('claude_ide.contexts')
local host = require('claude_ide.host')
local message = require('claude_ide.messages.message')
local ready = require('claude_ide.host.ready')
local reason = require('claude_ide.messages.reason')

local M = {}

---@class claude_ide.SendOptions
---@field to? 'chat'|'terminal'|string or the name of a CLI; default: what `:ClaudeSend` would reach
---@field submit? boolean send the text as a prompt; default: it is put into the prompt
---@field focus? boolean go there

--- Have a command of the host take a text.
---@param name string of the command
---@param text string
---@param number string of the text
---@param typed? string the command that the user has typed, for messages
function M.hand(name, text, number, typed)
  ---@type any
  local opts = { name = typed or name, fargs = { number }, args = text, range = 0, bang = false }
  ready.run(opts, function()
    host.command(name, opts)
  end)
end

--- Put a text into a prompt, or send it (`:help claude-ide.send()`).
---@type fun(text: string, options: claude_ide.SendOptions?)
function M.send(text, options)
  options = type(options) == 'table' and next(options) == nil and vim.empty_dict() or options
  local ok, err = pcall(vim.fn['claude_ide#sending#Send'], text, options or vim.empty_dict())
  if not ok then
    error(reason.of(err), 0)
  end
end

--- Carry out `:[range]ClaudeType[!] {text}`.
---@param opts vim.api.keyset.create_user_command.command_args
function M.type(opts)
  vim.fn['claude_ide#sending#Type'](opts.args, contexts.lines_of(opts), opts.bang)
end

--- `:ClaudeSend` with lines of a buffer that has no file.
---@param opts vim.api.keyset.create_user_command.command_args
function M.quote(opts)
  vim.fn['claude_ide#sending#Quote'](contexts.lines_of(opts), opts.bang)
end

--- `:ClaudeFix`: have the diagnostics of the buffer, or of lines of it, fixed.
---@param opts vim.api.keyset.create_user_command.command_args
function M.fix(opts)
  vim.fn['claude_ide#sending#Fix'](contexts.lines_of(opts))
end

--- `:ClaudeBackground`: the placeholders of its prompt mean the buffer and the range.
---@param opts vim.api.keyset.create_user_command.command_args
function M.background(opts)
  local number = vim.fn['claude_ide#sending#KeepTyped'](opts.args, contexts.lines_of(opts))
  host.command('ClaudeBackground', vim.tbl_extend('force', opts, { fargs = { number } }))
end

--- `:ClaudePrompt /name`: a prompt of the option `prompts`.
---@param opts vim.api.keyset.create_user_command.command_args
function M.send_named(opts)
  local name = vim.fn['claude_ide#prompts#NameIn'](opts.args)
  if name == vim.NIL then
    return message.show(('there is no prompt "%s" (<Tab> lists them)'):format(opts.args), 'error')
  end
  local here = contexts.of_command(opts)
  vim.fn['claude_ide#prompts#Choose'](name, function(text)
    local facts = contexts.facts(here, text)
    local sent = { text = text, facts = facts, submit = true, is_typed = true }
    M.hand('ClaudeType', text, vim.fn['claude_ide#sending#Keep'](sent), 'ClaudePrompt')
  end)
end

return M
