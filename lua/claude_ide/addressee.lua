--- Sends the user's words to the agent of the place where they are: comments and `:ClaudeFix`. Lets
--- `:ClaudeAsk` go on in the chat.
local channel = require('claude_ide.channel')
local message = require('claude_ide.messages.message')
local own_options = require('claude_ide.own_options')

local M = {}

--- Send words to the chat of this tab page, as mentions are sent; otherwise type them into the terminal of a
--- CLI. If neither is there, a message says so.
---@param words string
---@return boolean is_sent
function M.send(words)
  if package.loaded['claude_ide.chat.state'] then
    local placement = require('claude_ide.chat.placement')
    local chat = vim.iter(require('claude_ide.chat.state').list()):find(placement.is_here)
    if chat then
      require('claude_ide.chat.prompt').say(chat, words)
      return true
    end
  end
  if not channel.id then
    message.show('no terminal of this Neovim runs Claude (:Claude opens one)', 'warn')
    return false
  end
  channel.emit('commented', { words = words })
  return true
end

--- `:ClaudeFix`: a prompt with the diagnostics of a buffer, or of lines in it.
---@param opts vim.api.keyset.create_user_command.command_args
function M.fix(opts)
  local quotation = require('claude_ide.diff.quotation')
  local words_of = require('claude_ide.diagnostics.words')
  local bufnr = vim.api.nvim_get_current_buf()
  local refusal = quotation.refusal(bufnr)
  if refusal then
    return message.show(refusal, 'warn')
  end
  local lines = opts.range > 0 and { opts.line1, opts.line2 } or nil
  local found = words_of.of_lines(bufnr, lines)
  if #found == 0 then
    local where = lines and 'these lines have' or 'this buffer has'
    return message.show(('nothing to fix: %s no diagnostics'):format(where), 'info')
  end
  local order = ('Fix %s:\n%s'):format(#found == 1 and 'this' or 'these', words_of.list(found))
  local words = lines and quotation.of_buffer(bufnr, lines[1], lines[2], order)
    or ('%s:\n%s'):format(quotation.path(bufnr), order)
  if M.send(words) then
    local form = #found == 1 and 'Claude is to fix %d diagnostic'
      or 'Claude is to fix %d diagnostics'
    message.show(form:format(#found), 'info')
  end
end

-- The panel opens before the host has stored the session, because the user may already be typing. The host
-- closes the answer when it has the panel; otherwise the answer stays.
---@type claude_ide.Continue
local function continue(id, cwd, leave)
  if own_options.get('agents', 'claude') == false then
    return message.show('the chat does not offer Claude (g:claude_ide.agents)', 'warn')
  end
  leave()
  local chat = require('claude_ide.chat.panel').begin({ agent = 'claude', root = cwd })
  channel.emit('question_continued', { id = id, chat = chat, cwd = cwd })
end

--- `:[range]ClaudeAsk[!] [question]`, whose answer the user can continue in the chat.
---@param opts vim.api.keyset.create_user_command.command_args
function M.ask(opts)
  require('claude_ide.headless.answer').ask(opts, continue)
end

return M
