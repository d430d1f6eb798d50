--- `:ClaudeAsk`: a question, and the window in which its answer appears.
local answer_float = require('claude_ide.headless.answer_float')
local answer_window = require('claude_ide.headless.answer_window')
local channel = require('claude_ide.channel')
local file = require('claude_ide.file.path')
local message = require('claude_ide.messages.message')
local privacy = require('claude_ide.privacy')
local prompts = require('claude_ide.prompts')
local headless = require('claude_ide.headless')
local ui = require('claude_ide.ui.vim_ui')
local window_close = require('claude_ide.window.close')

local M = {}

local function window_kind()
  return vim.tbl_get(vim.g.claude_ide or {}, 'ask', 'window') == 'split' and 'split' or 'float'
end

---@class claude_ide.ShownAnswer
---@field id integer of the question
---@field view claude_ide.AnswerWindow
---@field cwd string
---@field has_text boolean
---@field is_running boolean

---@type table<integer, claude_ide.ShownAnswer> by the id of its question
local shown = {}

---@alias claude_ide.Continue fun(id: integer, cwd: string, leave: fun()) opens the chat; `leave` takes the
---  user back to where they asked

-- The host has the conversation, with the files that Claude has read for the answer.
---@param answer claude_ide.ShownAnswer
---@param open claude_ide.Continue
local function continue(answer, open)
  if answer.is_running then
    message.show('the answer is not complete yet (CTRL-C stops it)', 'info')
  elseif not answer.has_text then
    message.show('there is no answer to continue', 'warn')
  elseif not channel.id then
    message.show(headless.HOST_ENDED, 'warn')
  else
    open(answer.id, answer.cwd, function()
      answer_window.leave(answer.view)
    end)
  end
end

---@param answer claude_ide.ShownAnswer
local function commit(answer)
  local bufnr = answer.view.bufnr
  if answer.is_running or not answer.has_text then
    message.show('there is no commit message yet', 'info')
  elseif not channel.id then
    message.show(headless.HOST_ENDED, 'warn')
  else
    local text = table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), '\n')
    channel.emit('commit_asked', { window = bufnr, cwd = answer.cwd, text = text })
  end
end

---@param answer claude_ide.ShownAnswer
local function forget(answer)
  if answer.id then
    shown[answer.id] = nil
    headless.cancel(answer.id)
    channel.emit('question_closed', { id = answer.id })
  end
end

-- Follow a question until its end.
---@param answer claude_ide.ShownAnswer
---@param to_text? fun(result: any): string
---@param is_continuable boolean
---@return claude_ide.QuestionHandlers
local function handlers_of(answer, to_text, is_continuable)
  local view = answer.view
  return {
    on_text = not to_text and function(text, keep)
      -- A partial answer may be withdrawn.
      answer.has_text = text ~= ''
      answer_window.draw(view, text, keep)
    end or nil,
    on_progress = function(progress)
      answer_window.set_status(view, progress)
    end,
    on_end = function(err, result)
      answer.is_running = false
      if not answer.has_text and result then
        answer_window.draw(view, to_text and to_text(result) or result, 0)
        answer.has_text = true
      end
      local is_cancelled = err == headless.CANCELLED
      local shown_error = not is_cancelled and err or nil
      answer_window.finish(view, shown_error, is_continuable and answer.has_text)
      if is_cancelled then
        answer_window.set_status(view, headless.CANCELLED)
      end
    end,
  }
end

--- Ask something, and show the answer as it arrives.
---@param title string
---@param kind 'ask'|'commit'
---@param request table as for `headless.begin`
---@param more? { to_text?: (fun(result: any): string), about?: claude_ide.ScreenRows,
---  open?: claude_ide.Continue, commits?: boolean } to_text turns a result that is not a text into one, which
---  is shown when it is complete; about: lines that a float should not cover; open: continues the answer in
---  the chat; commits: the user may change it and commit what is staged with it
function M.show(title, kind, request, more)
  vim.cmd.stopinsert()
  more = more or {}
  local answer = { cwd = vim.fn.getcwd(), has_text = false, is_running = true }
  ---@cast answer claude_ide.ShownAnswer
  local ok, view = pcall(answer_window.open, title, window_kind(), {
    stop = function()
      headless.cancel(answer.id)
    end,
    continue = more.open and function()
      continue(answer, more.open)
    end or nil,
    commit = more.commits and function()
      commit(answer)
    end or nil,
    closed = function()
      forget(answer)
    end,
  }, more.about)
  if not ok then
    return message.show(('the answer cannot be shown: %s'):format(view), 'error')
  end
  answer.view = view
  local asked =
    vim.tbl_extend('error', request, { cwd = answer.cwd, is_kept = more.open ~= nil or nil })
  local handlers = handlers_of(answer, more.to_text, more.open ~= nil)
  answer.id = headless.begin(kind, asked, handlers)
  shown[answer.id] = answer
end

--- Close an answer that goes on in the chat.
---@param id integer of its question
function M.close(id)
  if shown[id] then
    window_close.buffer(shown[id].view.bufnr)
  end
end

--- Close the window of an answer that is no longer needed.
---@param bufnr integer
function M.close_window(bufnr)
  if vim.api.nvim_buf_is_valid(bufnr) then
    window_close.buffer(bufnr)
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
  local text = table.concat(lines, '\n')
  local about = { name = name or 'an unnamed buffer', text = text }
  return { lines = vim.tbl_extend('error', about, { first = opts.line1, last = opts.line2 }) }
end

-- Where the lines of the range, or the cursor's line, are on the screen.
local function rows_about(opts)
  local line = vim.fn.line('.')
  local has_range = opts.range > 0
  return answer_float.rows_of(has_range and opts.line1 or line, has_range and opts.line2 or line)
end

--- Carry out `:[range]ClaudeAsk[!] [question]`.
---@param opts vim.api.keyset.create_user_command.command_args
---@param open claude_ide.Continue
function M.ask(opts, open)
  if opts.bang then
    return headless.cancel_all('ask', 'nothing to stop')
  end
  local ok, about = pcall(context, opts)
  if not ok then
    return message.show(about, 'error')
  end
  local function ask(prompt)
    if prompt and prompt:find('%S') then
      local request = vim.tbl_extend('error', about, { prompt = prompt })
      M.show(prompt, 'ask', request, { about = rows_about(opts), open = open })
    end
  end
  local name = prompts.name_in(opts.args)
  if name then
    prompts.choose(name, opts, true, ask)
  elseif opts.args ~= '' then
    ask(opts.args)
  else
    ui.input('Ask Claude: ', '', ask)
  end
end

return M
