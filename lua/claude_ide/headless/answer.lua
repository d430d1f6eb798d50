--- `:ClaudeAsk`: a question, and the window in which its answer appears.
local answer_window = require('claude_ide.headless.answer_window')
local channel = require('claude_ide.channel')
local contexts = require('claude_ide.contexts')
local file = require('claude_ide.file.path')
local headless = require('claude_ide.headless')
local message = require('claude_ide.messages.message')
local privacy = require('claude_ide.privacy')
local ui = require('claude_ide.ui.vim_ui')
local window_close = require('claude_ide.window.close')

local M = {}

local RUNNING = 'the answer is not complete yet (CTRL-C stops it)'
local NO_ANSWER = 'there is no answer to continue'
local NO_CHAT = 'no chat can continue this answer'
local NO_MESSAGE = 'there is no commit message yet'

local function window_kind()
  return vim.tbl_get(vim.g.claude_ide or {}, 'ask', 'window') == 'split' and 'split' or 'float'
end

---@class claude_ide.ShownAnswer
---@field id integer of the question
---@field view claude_ide.AnswerWindow
---@field cwd string
---@field has_text boolean
---@field chat? string the agent in whose chat it can be continued
---@field is_running boolean

---@type table<integer, claude_ide.ShownAnswer> by the id of its question
local shown = {}

---@alias claude_ide.Continue fun(id: integer, agent: string, cwd: string, leave: fun()) opens the chat;
---  `leave` takes the user back to where they asked

-- Call `use`, unless there is no complete answer, or no host that could use it.
---@param answer claude_ide.ShownAnswer
---@param missing string a message
---@param use fun()
---@return fun() key
local function when_complete(answer, missing, use)
  return function()
    local problem = answer.is_running and RUNNING
      or not answer.has_text and missing
      or not channel.id and headless.HOST_ENDED
    if problem then
      return message.show(problem, 'warn')
    end
    use()
  end
end

---@type fun(answer: claude_ide.ShownAnswer, more: claude_ide.AnswerUse): claude_ide.AnswerHandlers
local function keys_of(answer, more)
  return {
    stop = function()
      headless.cancel(answer.id)
    end,
    -- The host has the conversation, with the files that Claude has read for the answer.
    continue = more.open and when_complete(answer, NO_ANSWER, function()
      if not answer.chat then
        return message.show(NO_CHAT, 'warn')
      end
      more.open(answer.id, answer.chat, answer.cwd, function()
        answer_window.leave(answer.view)
      end)
    end),
    commit = more.commits and when_complete(answer, NO_MESSAGE, function()
      local lines = vim.api.nvim_buf_get_lines(answer.view.bufnr, 0, -1, true)
      local text = table.concat(lines, '\n')
      channel.emit('commit_asked', { id = answer.id, cwd = answer.cwd, text = text })
    end),
    closed = function()
      if answer.id then
        shown[answer.id] = nil
        headless.cancel(answer.id)
        channel.emit('question_closed', { id = answer.id })
      end
    end,
  }
end

---@class claude_ide.AnswerUse
---@field about? claude_ide.ScreenRows lines that a float should not cover
---@field open? claude_ide.Continue continues the answer in the chat
---@field commits? boolean whether the user may change it and commit what is staged with it

--- Ask something, and show the answer as it arrives.
---@param title string
---@param kind 'ask'|'commit'
---@param request table as for `headless.begin`
---@param more claude_ide.AnswerUse
function M.show(title, kind, request, more)
  vim.cmd.stopinsert()
  local answer = { cwd = vim.fn.getcwd(), has_text = false, is_running = true }
  ---@cast answer claude_ide.ShownAnswer
  local ok, view =
    pcall(answer_window.open, title, window_kind(), keys_of(answer, more), more.about)
  if not ok then
    return message.show(('the answer cannot be shown: %s'):format(view), 'error')
  end
  answer.view = view
  request = vim.tbl_extend('error', request, { cwd = answer.cwd, is_kept = more.open and true })
  answer.id = headless.begin(kind, request, {
    on_text = function(text, keep)
      -- A partial answer may be withdrawn.
      answer.has_text = text ~= ''
      answer_window.draw(view, text, keep)
    end,
    on_progress = function(progress)
      answer_window.set_status(view, progress)
    end,
    on_chat = function(agent)
      answer.chat = agent
    end,
    on_end = function(err, text)
      answer.is_running = false
      if not answer.has_text and text then
        answer_window.draw(view, text, 0)
        answer.has_text = true
      end
      local is_cancelled = err == headless.CANCELLED
      answer_window.finish(view, not is_cancelled and err or nil, answer.chat and answer.has_text)
      if is_cancelled then
        answer_window.set_status(view, err)
      end
    end,
  })
  shown[answer.id] = answer
end

--- Called by the host: close an answer that goes on in the chat, or has been committed.
---@param id integer of its question
function M.close(id)
  if shown[id] then
    window_close.buffer(shown[id].view.bufnr)
  end
end

-- What the question is about: the range, or else the current file.
--
-- Raises an error if the range must stay in Neovim. A file that must is left out.
local function context(opts)
  local name, why = file.path(0), privacy.why(0)
  if opts.range == 0 then
    return { file = not why and name or nil }
  elseif why then
    error(why, 0)
  end
  local lines = vim.api.nvim_buf_get_lines(0, opts.line1 - 1, opts.line2, true)
  local bufnr, first, last = vim.api.nvim_get_current_buf(), opts.line1, opts.line2
  return {
    lines = {
      name = name or 'an unnamed buffer',
      first = first,
      last = last,
      text = table.concat(lines, '\n'),
      paths = vim.fn['claude_ide#places#About'](bufnr, first, last),
    },
  }
end

--- Carry out `:[range]ClaudeAsk[!] [question]`.
---@type fun(opts: vim.api.keyset.create_user_command.command_args, open: claude_ide.Continue)
function M.ask(opts, open)
  if opts.bang then
    return headless.cancel_all('ask', 'nothing to stop')
  end
  local here = contexts.of_command(opts)
  local ok, about = pcall(context, opts)
  if not ok then
    return message.show(about, 'error')
  end
  local function ask(prompt)
    if prompt and prompt:find('%S') then
      local line = vim.fn.line('.')
      local has_range = opts.range > 0
      local rows =
        answer_window.rows_of(has_range and opts.line1 or line, has_range and opts.line2 or line)
      local facts = contexts.facts(here, prompt)
      local request = vim.tbl_extend('error', about, { prompt = prompt, facts = facts })
      M.show(prompt, 'ask', request, { about = rows, open = open })
    end
  end
  -- The host knows what `@name` before the words means.
  local at, words = opts.args:match('^(@%S+%s+)(.*)$')
  local name = vim.fn['claude_ide#prompts#NameIn'](words or opts.args)
  if name ~= vim.NIL then
    vim.fn['claude_ide#prompts#Choose'](name, function(prompt)
      ask((at or '') .. prompt)
    end)
  elseif opts.args ~= '' then
    ask(opts.args)
  else
    ui.input('Ask Claude: ', '', ask)
  end
end

return M
