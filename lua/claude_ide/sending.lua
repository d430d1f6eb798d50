--- Sends any text to the prompt of the chat or of a CLI: `:ClaudeType`, `send()`, `:ClaudeFix`, and prompts
--- of the option `prompts`. The host takes a text from here, with what its placeholders mean, and finds
--- whom it is for.
local contexts = require('claude_ide.contexts')
local host = require('claude_ide.host')
local message = require('claude_ide.messages.message')
local ready = require('claude_ide.host.ready')

local M = {}

---@class claude_ide.SendOptions
---@field to? 'chat'|'terminal'|string or the name of a CLI; default: what `:ClaudeSend` would reach
---@field submit? boolean send the text as a prompt; default: it is put into the prompt
---@field focus? boolean go there

---@class claude_ide.Sent: claude_ide.SendOptions the fields of `Sent` in `editor/port/prompts.py`
---@field text string
---@field facts table
---@field is_typed? boolean

local waiting = {} ---@type table<integer, claude_ide.Sent>
local last = 0

--- Keep a text until the host takes it.
---@param sent claude_ide.Sent
---@return string number
function M.keep(sent)
  last = last + 1
  waiting[last] = sent
  return tostring(last)
end

---@param sent claude_ide.Sent
---@param name string of the command, for messages
local function send(sent, name)
  ---@type any
  local opts = { name = name, fargs = {}, args = sent.text, range = 0, bang = false }
  ready.run(opts, function()
    opts.fargs = { M.keep(sent) }
    if name == 'ClaudeFix' then
      host.command('ClaudeFix', opts)
    else
      host.command('ClaudeType', opts)
    end
  end)
end

--- Called by the host: a text that it is to send.
---@type fun(number: integer): claude_ide.Sent
function M.take(number)
  local sent = waiting[number]
  waiting[number] = nil
  return sent or error('the text is gone', 0)
end

local function check(text, options)
  vim.validate('text', text, 'string')
  vim.validate('options', options, 'table', true)
  for name, value in pairs(options or {}) do
    local kind = ({ to = 'string', submit = 'boolean', focus = 'boolean' })[name]
    if not kind then
      error(('options.%s: there is no such option (to, submit, focus)'):format(name), 0)
    end
    vim.validate('options.' .. name, value, kind)
  end
  if not text:find('%S') then
    error('text: expected text, got only blanks', 0)
  end
end

-- The selection as it was: the user is about to be taken elsewhere.
local function hold(here, focus)
  local selection = here.selection
  if focus then
    require('claude_ide.selection').hold(selection and { selection.first, selection.last } or nil)
  end
end

---@type fun(here: claude_ide.Here, text: string, options: claude_ide.SendOptions)
local function send_from(here, text, options)
  hold(here, options.focus)
  send({
    text = text,
    facts = contexts.facts(here, text),
    to = options.to,
    submit = options.submit,
    focus = options.focus,
  }, 'ClaudeType')
end

--- Put a text into a prompt, or send it (`:help claude-ide.send()`).
---@type fun(text: string, options: claude_ide.SendOptions?)
function M.send(text, options)
  check(text, options)
  send_from(contexts.here(), text, options or {})
end

--- Carry out `:[range]ClaudeType[!] {text}`.
---@param opts vim.api.keyset.create_user_command.command_args
function M.type(opts)
  if not opts.args:find('%S') then
    return message.show('usage: :ClaudeType {text}', 'error')
  end
  send_from(contexts.of_command(opts), vim.trim(opts.args), { submit = opts.bang })
end

--- `:ClaudeSend` with lines of a buffer that has no file.
---@param opts vim.api.keyset.create_user_command.command_args
function M.quote(opts)
  send_from(contexts.of_command(opts), '{selection}', { focus = opts.bang })
end

--- `:ClaudeFix`: have the diagnostics of the buffer, or of lines of it, fixed.
---@param opts vim.api.keyset.create_user_command.command_args
function M.fix(opts)
  local facts = contexts.facts(contexts.of_command(opts), '')
  send({ text = '', facts = facts, submit = true }, 'ClaudeFix')
end

--- `:ClaudePrompt /name`: a prompt of the option `prompts`.
---@param opts vim.api.keyset.create_user_command.command_args
function M.send_named(opts)
  local prompts = require('claude_ide.prompts')
  local name = prompts.name_in(opts.args)
  if not name then
    return message.show(('there is no prompt "%s" (<Tab> lists them)'):format(opts.args), 'error')
  end
  local here = contexts.of_command(opts)
  prompts.choose(name, function(text)
    local facts = contexts.facts(here, text)
    send({ text = text, facts = facts, submit = true, is_typed = true }, 'ClaudePrompt')
  end)
end

local to_eol = false -- whether the operator was begun with a block that extends to the ends of its lines

--- Quote what an operator covers in the prompt, for 'operatorfunc'.
---@param kind 'char'|'line'|'block'
function M.operate(kind)
  send_from(contexts.covered(kind, to_eol), '{selection}', {})
end

--- Begin that operator, for an `<expr>` map in Normal or Visual mode.
---@return string keys
function M.operator()
  to_eol = vim.fn.mode() == '\22' and vim.fn.getcurpos()[5] == vim.v.maxcol
  vim.o.operatorfunc = "v:lua.require'claude_ide.sending'.operate"
  return 'g@'
end

return M
