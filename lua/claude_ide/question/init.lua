--- One-off requests to the CLI: sent to the host, and answered exactly once.
local channel = require('claude_ide.channel')
local message = require('claude_ide.say.message')
local work = require('claude_ide.host.work')

local M = {}

M.CANCELLED = 'cancelled'

local HOST_ENDED = 'the Python host has ended'

---@class claude_ide.QuestionHandlers
---@field on_text? fun(text: string, keep: integer) the answer so far; what of it was there before
---@field on_progress? fun(words: string) empty once the answer comes
---@field on_event? fun(event: table)
---@field on_end fun(err: string?, result: any)

---@alias claude_ide.QuestionKind 'ask'|'rewrite'|'commit'

---@class claude_ide.Question: claude_ide.QuestionHandlers
---@field text string
---@field kind? claude_ide.QuestionKind of those that a command asks

---@type table<integer, claude_ide.Question>
local questions = {}
local last_id = 0

local TITLES = { ask = 'ClaudeAsk', rewrite = 'ClaudeEdit', commit = 'ClaudeCommit' }

-- Report how far a command's question is; one that `ask()` has asked is its caller's.
local function report(id, question, text, status)
  local title = TITLES[question.kind]
  if title then
    work.report('question.' .. id, title, text, status)
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
  questions[id] = vim.tbl_extend('force', { text = '' }, handlers)
  local cwd = request.cwd or vim.fn.getcwd()
  local asked = vim.tbl_extend('force', request, { id = id, kind = kind, cwd = cwd })
  if require('claude_ide.host').start() then
    channel.emit('question_asked', asked)
  else
    vim.schedule(function()
      M.finish(id, { error = HOST_ENDED })
    end)
  end
  return id
end

--- Ask something for a command; the host is started if need be.
---@param kind claude_ide.QuestionKind
---@param request table what `headless/requests.py` has for this kind, but for the id
---@param handlers claude_ide.QuestionHandlers called on the main loop; `on_end` once, and last
---@return integer id
function M.begin(kind, request, handlers)
  local id = begin(kind, request, handlers)
  questions[id].kind = kind
  report(id, questions[id], 'asked', 'running')
  return id
end

--- Tell of an answer while it grows.
---@param id integer
---@param frame { keep?: integer, text?: string, progress?: string, events?: table[] }
function M.tell(id, frame)
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
  end
  if frame.text then
    question.text = question.text:sub(1, frame.keep) .. frame.text
    call(question.on_text, question.text, frame.keep)
  end
end

--- A question has ended.
---@param id integer
---@param ended { error?: string, result?: any }
function M.finish(id, ended)
  local question = questions[id]
  questions[id] = nil
  if question then
    local result, err = ended.result, ended.error
    local status = err == M.CANCELLED and 'cancel' or err and 'failed' or 'success'
    report(id, question, err or 'answered', status)
    call(question.on_end, ended.error, result ~= vim.NIL and result or nil)
  end
end

--- End a question that runs; its error is `CANCELLED`.
---@param id integer
function M.cancel(id)
  if questions[id] then
    channel.emit('question_cancelled', { id = id })
    M.finish(id, { error = M.CANCELLED })
  end
end

--- End all questions that a command has asked, and say so.
---@param kind claude_ide.QuestionKind
---@param otherwise string what is said when there are none
function M.cancel_all(kind, otherwise)
  local ids = vim.tbl_filter(function(id)
    return questions[id].kind == kind
  end, vim.tbl_keys(questions))
  vim.iter(ids):each(M.cancel)
  message.show(#ids > 0 and 'stopped' or otherwise, 'info')
end

--- The host has ended: every question gets an error.
function M.host_ended()
  for _, id in ipairs(vim.tbl_keys(questions)) do
    M.finish(id, { error = HOST_ENDED })
  end
end

---@class claude_ide.AskOptions
---@field format? 'text'|'json'|'stream-json' default 'text'
---@field schema? table a JSON schema that the answer has to fit
---@field on_text? fun(text: string) called while the answer grows, with all of it so far
---@field on_event? fun(event: table) called with each of the CLI's events ('stream-json')
---@field model? string
---@field tools? string[] of the CLI's tools; default Read, Grep and Glob
---@field cwd? string default Neovim's

local FORMATS = { 'text', 'json', 'stream-json' }

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
  vim.validate('schema', options.schema, 'table', true)
  vim.validate('on_text', options.on_text, 'callable', true)
  vim.validate('on_event', options.on_event, 'callable', true)
  vim.validate('model', options.model, 'string', true)
  vim.validate('tools', options.tools, is_list_of_strings, true, 'a list of strings')
  vim.validate('cwd', options.cwd, 'string', true)
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
---@return { cancel: fun(self) }
function M.ask(prompt, options, callback)
  options = options or {}
  check(prompt, options, callback)
  local id = begin('ask', {
    prompt = prompt,
    format = options.format,
    schema = options.schema and vim.json.encode(options.schema),
    model = options.model,
    tools = options.tools,
    cwd = options.cwd,
    wants_events = options.on_event ~= nil,
  }, {
    on_text = options.on_text and function(text)
      options.on_text(text)
    end,
    on_event = options.on_event,
    -- Later: the host need not wait for what is done with the answer.
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
