--- Types prompts into the terminals in which CLIs run, as a user does: the text, then Enter.
---
--- The CLI regards keys that arrive together with a text as a part of it, so Enter waits until the prompt
--- box shows the text. Dialogs replace that box: none is answered by a prompt.
local clients = require('claude_ide.terminal.clients')
local message = require('claude_ide.say.message')
local register = require('claude_ide.terminal.register')

local M = {}

local api = vim.api

-- Milliseconds.
local POLL = 50
local TAKEN = 5000 -- within which the box shows a text
local NOTICE = 3000 -- after which a message says what a prompt waits for

local LOWEST = 60 -- rows of the terminal in which the box may be
local CARET = '❯'
local RULE = '^────'
local BEGIN, END, ENTER = '\27[200~', '\27[201~', '\r'

---@class claude_ide.TypedPrompt
---@field text string
---@field since number when it was first in the queue, later when it was pasted; milliseconds
---@field is_pasted? boolean
---@field is_entered? boolean
---@field is_mentioned? boolean whether a message has said that it waits

---@type table<integer, claude_ide.TypedPrompt[]> by the buffer of the terminal
local queues = {}

-- Blanks differ: the CLI breaks lines, and pads them.
local function without_blanks(text)
  return (text:gsub('\194\160', ''):gsub('%s', ''))
end

local function rows_of(bufnr)
  local rows = api.nvim_buf_get_lines(bufnr, 0, -1, false)
  while rows[#rows] == '' do
    rows[#rows] = nil
  end
  return vim.list_slice(rows, math.max(1, #rows - LOWEST + 1))
end

-- The content of the prompt box, between the last two rules; nil if there is none. A dialog has a caret
-- below a rule, too, but in front of a numbered answer or further below.
local function box_of(bufnr)
  local rows, upper, lower = rows_of(bufnr), nil, nil
  for row, text in ipairs(rows) do
    if text:find(RULE) then
      upper, lower = lower, row
    end
  end
  if not upper or not vim.startswith(rows[upper + 1], CARET) then
    return nil
  end
  local below = vim.list_slice(rows, lower + 1)
  local has_answer = vim.iter(below):any(function(row)
    return row:find('^%s*' .. CARET) ~= nil
  end)
  local content = table.concat(rows, '', upper + 1, lower - 1):sub(#CARET + 1)
  content = without_blanks(content):gsub('^%[⧉[^%]]*%]', '')
  return not has_answer and content or nil
end

-- The CLI folds a long text.
local function has_taken(content, text)
  return content == without_blanks(text) or content:find('^%[Pastedtext#%d+[^%]]*%]$') ~= nil
end

-- Only the text: a sequence of control characters could end the paste, and would then be keys.
local function harmless(text)
  local plain =
    text:gsub('\r\n?', '\n'):gsub('[%z\1-\8\11-\31\127]', ''):gsub('\194[\128-\159]', '')
  plain = plain:gsub('%s+$', '')
  -- After `@file` or a command, Enter would choose from a menu.
  return plain:find('@%S*$') and plain .. ' ' or plain
end

local function send(bufnr, keys)
  return (pcall(api.nvim_chan_send, vim.bo[bufnr].channel, keys))
end

local function paste(bufnr, prompt)
  prompt.is_pasted, prompt.since = true, vim.uv.now()
  return send(bufnr, BEGIN .. prompt.text .. END)
end

local function mention(prompt)
  if not prompt.is_mentioned and vim.uv.now() - prompt.since >= NOTICE then
    prompt.is_mentioned = true
    message.show('Claude gets your words once its terminal shows the prompt again', 'info')
  end
end

-- Type as much as is possible now; return whether the prompt is finished.
local function advance(bufnr, prompt)
  local content = box_of(bufnr)
  if not prompt.is_pasted then
    if content then
      return not paste(bufnr, prompt)
    end
    mention(prompt)
    return false
  end
  local is_taken = content ~= nil and has_taken(content, prompt.text)
  if prompt.is_entered and not is_taken then
    return true
  elseif is_taken and not prompt.is_entered then
    -- What follows would be regarded as pasted with it, so the prompt has to leave the box first.
    prompt.is_entered = true
    return not send(bufnr, ENTER)
  elseif vim.uv.now() - prompt.since < TAKEN then
    return false
  end
  -- Perhaps the user had begun a prompt: what happens to it is for them to decide.
  message.show("your words are in Claude's prompt: press Enter there to send them", 'warn')
  return true
end

local keep ---@type fun(text: string)?

--- Call `fn` with each prompt that a CLI has not got, because it has ended.
---@param fn fun(text: string)
function M.on_lost(fn)
  keep = fn
end

-- The CLI has ended.
local function lose(queue)
  local where = keep and ': :ClaudePrompt has them' or ''
  message.show('Claude has ended, and has not got your words' .. where, 'warn')
  for _, prompt in ipairs(keep and queue or {}) do
    keep(prompt.text)
  end
end

local function poll(bufnr)
  local queue = queues[bufnr]
  if not api.nvim_buf_is_valid(bufnr) or vim.fn.jobwait({ vim.bo[bufnr].channel }, 0)[1] ~= -1 then
    queues[bufnr] = nil
    lose(queue)
    return
  end
  if advance(bufnr, queue[1]) then
    table.remove(queue, 1)
    if #queue == 0 then
      queues[bufnr] = nil
      return
    end
    queue[1].since = vim.uv.now()
  end
  vim.defer_fn(function()
    poll(bufnr)
  end, POLL)
end

-- The CLI of `:Claude` has a buffer unless it runs in a pane of tmux.
local function buffer_of(pid)
  local current = pid == 0 and register.current() or nil
  return current and current.bufnr or clients.buffer(pid)
end

--- Type a prompt into the terminal in which a client runs, once its prompt box is there; after those
--- that wait for it already. The text is left in the box if the user has begun another one.
---@param pid integer the client's process id; 0: the CLI of `:Claude`
---@param text string may have several lines
---@return { error: string }? refusal if no terminal of this Neovim is found
function M.send(pid, text)
  local bufnr = buffer_of(pid)
  if not bufnr then
    return {
      error = pid == 0
          and not register.current()
          and 'no terminal of this Neovim runs Claude (:Claude opens one)'
        or 'Claude is not in a terminal of this Neovim: give it your words yourself',
    }
  end
  local prompt = { text = harmless(text), since = vim.uv.now() }
  if queues[bufnr] then
    table.insert(queues[bufnr], prompt)
  else
    queues[bufnr] = { prompt }
    poll(bufnr)
  end
end

return M
