--- One-off requests to the CLI: sent to the host, and answered exactly once.
local channel = require('claude_ide.channel')
local contexts = require('claude_ide.contexts')
local message = require('claude_ide.messages.message')
local plain = require('claude_ide.messages.plain')
local work = require('claude_ide.host.work')

local M = {}

M.CANCELLED = 'cancelled'

M.HOST_ENDED = 'the Python host has ended'

--- What Claude does, shown behind a line.
---@class claude_ide.QuestionMark
---@field bufnr integer
---@field row? integer 0-based; nil if the host will say it
---@field verb string such as "rewriting"
---@field name? string who does that; nil until the host has said it
---@field id? integer extmark

---@class claude_ide.QuestionHandlers
---@field mark? claude_ide.QuestionMark the error of such a question is shown as a message
---@field on_text? fun(text: string, keep: integer) the answer so far; how many of its first bytes are
---   unchanged since the last call
---@field on_progress? fun(progress: string) what the agent does; empty once the answer arrives
---@field on_chat? fun(agent: string) called once it is known in whose chat the answer can be continued
---@field on_event? fun(event: table)
---@field on_end? fun(err: string?, result: any)

---@alias claude_ide.QuestionKind 'ask'|'rewrite'|'commit'

---@class claude_ide.Question: claude_ide.QuestionHandlers
---@field text string the answer so far
---@field kind? claude_ide.QuestionKind only if a command asks it

---@type table<integer, claude_ide.Question>
local questions = {}
local last_id = 0

local marks = vim.api.nvim_create_namespace('claude_ide_headless')

local TITLES = {
  ask = 'ClaudeAsk',
  rewrite = 'ClaudeEdit',
  commit = 'ClaudeCommit',
}

-- Report the progress of a command's question. Those of `ask()` are the caller's to report.
local function report(id, question, text, status)
  local title = TITLES[question.kind]
  if title then
    work.report('question.' .. id, title, text, status)
  end
end

---@type fun(mark: claude_ide.QuestionMark, progress: string)
local function draw(mark, progress)
  if not (mark.row and vim.api.nvim_buf_is_valid(mark.bufnr)) then
    return
  end
  local position = mark.id and vim.api.nvim_buf_get_extmark_by_id(mark.bufnr, marks, mark.id, {})
  local words = progress == '' and '…' or (' (%s)'):format(plain.one_line(progress))
  mark.id = vim.api.nvim_buf_set_extmark(mark.bufnr, marks, (position or {})[1] or mark.row, 0, {
    id = mark.id,
    virt_text = { { (' %s%s%s'):format(mark.name or '', mark.verb, words), 'Comment' } },
    strict = false,
  })
end

--- Remove the mark of a question.
---@param id integer
function M.unmark(id)
  local mark = (questions[id] or {}).mark
  if mark and mark.id and vim.api.nvim_buf_is_valid(mark.bufnr) then
    vim.api.nvim_buf_del_extmark(mark.bufnr, marks, mark.id)
  end
end

local function call(handler, ...)
  if not handler then
    return
  end
  local ok, err = pcall(handler, ...)
  if not ok then
    message.show(tostring(err), 'error')
  end
end

---@param kind claude_ide.QuestionKind
---@param request table
---@param handlers claude_ide.QuestionHandlers
---@return integer id
local function begin(kind, request, handlers)
  last_id = last_id + 1
  local id = last_id
  local question = vim.tbl_extend('force', { text = '' }, handlers)
  questions[id] = question --[[@as claude_ide.Question]]
  local cwd = request.cwd or vim.fn.getcwd()
  local asked = vim.tbl_extend('force', request, { id = id, kind = kind, cwd = cwd })
  if require('claude_ide.host').start() then
    channel.emit('question_asked', asked)
  else
    vim.schedule(function()
      M.finish(id, { error = M.HOST_ENDED })
    end)
  end
  return id
end

--- Ask something for a command. Starts the host if it does not run.
---@param kind claude_ide.QuestionKind
---@param request table the fields of this kind in `editor/port/prompts.py`, without the id
---@param handlers claude_ide.QuestionHandlers called on the main loop; `on_end` exactly once, and last
---@return integer id
function M.begin(kind, request, handlers)
  local id = begin(kind, request, handlers)
  questions[id].kind = kind
  report(id, questions[id], 'asked', 'running')
  if handlers.mark then
    draw(handlers.mark, '')
  end
  return id
end

--- Handle the progress or the answer of a running question.
---@param id integer
---@param frame { keep?: integer, text?: string, progress?: string, name?: string, chat?: string,
---   row?: integer, events?: table[] } the answer is its first `keep` bytes so far, then `text`; `row` is
---   where its mark is
function M.update(id, frame)
  local question = questions[id]
  if not question then
    return
  end
  for _, event in ipairs(frame.events or {}) do
    call(question.on_event, event)
  end
  if frame.progress then
    report(id, question, frame.progress ~= '' and frame.progress or 'answering', 'running')
    call(question.on_progress, frame.progress)
    if question.mark then
      question.mark.row = frame.row or question.mark.row
      question.mark.name = plain.one_line(frame.name) .. ' is '
      draw(question.mark, frame.progress)
    end
  end
  if frame.chat then
    call(question.on_chat, frame.chat)
  end
  if frame.text then
    question.text = question.text:sub(1, frame.keep) .. frame.text
    call(question.on_text, question.text, frame.keep)
  end
end

--- Handle the end of a question.
---@param id integer
---@param ended { error?: string, text?: string, result?: any } a result that is a text is `text`
function M.finish(id, ended)
  local question = questions[id]
  if not question then
    return
  end
  M.unmark(id)
  questions[id] = nil
  local result, err = ended.text or ended.result, ended.error
  local status = err == M.CANCELLED and 'cancel' or err and 'failed' or 'success'
  report(id, question, err or 'answered', status)
  if question.mark and err and err ~= M.CANCELLED then
    message.show(err, 'error')
  end
  call(question.on_end, err, result ~= vim.NIL and result or nil)
end

--- Cancel a question; its error is `CANCELLED`.
---@param id? integer
---@return boolean was_running
function M.cancel(id)
  local is_running = questions[id] ~= nil
  if is_running then
    channel.emit('question_cancelled', { id = id })
    M.finish(id, { error = M.CANCELLED })
  end
  return is_running
end

--- Cancel all questions of a command, and show a message.
---@param kind claude_ide.QuestionKind
---@param if_none string the message if there are none
function M.cancel_all(kind, if_none)
  local ids = vim.tbl_filter(function(id)
    return questions[id].kind == kind
  end, vim.tbl_keys(questions))
  vim.iter(ids):each(M.cancel)
  message.show(#ids > 0 and 'stopped' or if_none, 'info')
end

--- End every question with an error, because the host has ended.
function M.host_ended()
  for _, id in ipairs(vim.tbl_keys(questions)) do
    M.finish(id, { error = M.HOST_ENDED })
  end
end

---@class claude_ide.AskOptions
---@field format? 'text'|'json'|'stream-json' default 'text'
---@field schema? table a JSON schema that the answer must match
---@field on_text? fun(text: string) called with the whole answer so far, as it arrives
---@field on_event? fun(event: table) called with each of the CLI's events ('stream-json')
---@field model? string
---@field agent? string the id of the agent; default: that of the option `headless.agent`
---@field tools? string[] names of the CLI's tools; default: Read, Grep and Glob
---@field cwd? string default: Neovim's

local FORMATS = { 'text', 'json', 'stream-json' }
local OPTIONS = {
  schema = 'table',
  on_text = 'callable',
  on_event = 'callable',
  model = 'string',
  agent = 'string',
  cwd = 'string',
}

local function is_list_of_strings(value)
  return vim.islist(value)
    and vim.iter(value):all(function(item)
      return type(item) == 'string'
    end)
end

local function check(prompt, options, callback)
  local is_format = function(format)
    return vim.list_contains(FORMATS, format)
  end
  vim.validate('prompt', prompt, 'string')
  vim.validate('options', options, 'table')
  vim.validate('callback', callback, 'callable')
  vim.validate('format', options.format, is_format, true, "'text', 'json' or 'stream-json'")
  for name, kind in pairs(OPTIONS) do
    vim.validate(name, options[name], kind, true)
  end
  vim.validate('tools', options.tools, is_list_of_strings, true, 'a list of strings')
  for name in pairs(options) do
    if not OPTIONS[name] and name ~= 'format' and name ~= 'tools' then
      error('there is no option ' .. tostring(name) .. ' (:help claude-ide.ask())', 0)
    end
  end
  if prompt:find('^%s*$') then
    error('prompt: expected text, got only blanks', 0)
  elseif options.on_event and options.format ~= 'stream-json' then
    error("on_event: requires format = 'stream-json'", 0)
  end
end

--- Ask Claude one question (`:help claude-ide.ask()`).
---@param prompt string
---@param options claude_ide.AskOptions?
---@param callback fun(err: string?, result: string|table|nil)
---@return { cancel: fun(self) } question
function M.ask(prompt, options, callback)
  options = options or {}
  check(prompt, options, callback)
  local id = begin('ask', {
    prompt = prompt,
    facts = contexts.facts(contexts.of_command({}), prompt),
    format = options.format,
    schema = options.schema and vim.json.encode(options.schema),
    model = options.model,
    agent = options.agent,
    tools = options.tools,
    cwd = options.cwd,
    wants_events = options.on_event ~= nil,
  }, {
    on_text = options.on_text and function(text)
      options.on_text(text)
    end,
    on_event = options.on_event,
    -- Scheduled: the host must not wait for the callback.
    on_end = vim.schedule_wrap(function(err, result)
      call(callback, err, result)
    end),
  })
  return {
    cancel = function()
      M.cancel(id)
    end,
  }
end

return M
