--- Types prompts into the terminals in which CLIs run, as a user does: the text, then Enter.
---
--- The CLI regards keys that arrive together with a text as a part of it, so Enter waits until the prompt
--- box shows the text. Dialogs replace that box: none is answered by a prompt.
local clients = require('claude_ide.terminal.clients')
local device = require('claude_ide.terminal.device')
local message = require('claude_ide.say.message')
local register = require('claude_ide.terminal.register')

local M = {}

-- Milliseconds.
local POLL = 50
local TAKEN = 5000 -- within which the box shows a text
local NOTICE = 3000 -- after which a message says what a prompt waits for

local LOWEST = 60 -- rows of the terminal in which the box may be
local CARET = '❯'
local RULE = '^────'

---@class claude_ide.TypedPrompt
---@field text string
---@field since number when it was first in the queue, later when it was pasted; milliseconds
---@field is_pasted? boolean
---@field is_entered? boolean
---@field is_mentioned? boolean whether a message has said that it waits

---@type table<string, claude_ide.TypedPrompt[]> by the device
local queues = {}

-- Blanks differ: the CLI breaks lines, and pads them.
local function without_blanks(text)
  return (text:gsub('\194\160', ''):gsub('%s', ''))
end

local function lowest(rows)
  local last = #rows
  while rows[last] == '' do
    last = last - 1
  end
  return vim.list_slice(rows, math.max(1, last - LOWEST + 1), last)
end

-- The content of the prompt box, between the last two rules; nil if there is none. A dialog has a caret
-- below a rule, too, but in front of a numbered answer or further below.
---@param rows string[] of the screen
local function box_of(rows)
  local upper, lower
  rows = lowest(rows)
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

-- Keep words that cannot be typed, which the user would otherwise have to write again.
---@param prompts claude_ide.TypedPrompt[]
---@return string hint for the user
local function yank(prompts)
  local texts = vim.tbl_map(function(prompt)
    return prompt.text
  end, prompts)
  vim.fn.setreg(vim.v.register, table.concat(texts, '\n\n'))
  return '; your words are yanked, so that you can paste them'
end

local function mention(prompt)
  if not prompt.is_mentioned and vim.uv.now() - prompt.since >= NOTICE then
    prompt.is_mentioned = true
    message.show('Claude gets your words once its terminal shows the prompt again', 'info')
  end
end

-- Type as much as is possible now; return whether the prompt is finished.
---@param target claude_ide.Device
---@param prompt claude_ide.TypedPrompt
---@param rows string[] of the screen
local function advance(target, prompt, rows)
  local content = box_of(rows)
  if not prompt.is_pasted then
    if content then
      prompt.is_pasted, prompt.since = true, vim.uv.now()
      target.paste(prompt.text)
    else
      mention(prompt)
    end
    return false
  end
  local is_taken = content ~= nil and has_taken(content, prompt.text)
  if prompt.is_entered and not is_taken then
    return true
  elseif is_taken and not prompt.is_entered then
    -- What follows would be regarded as pasted with it, so the prompt has to leave the box first.
    prompt.is_entered = true
    target.enter()
    return false
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
  local where = keep and ': :ClaudePrompt has them' or yank(queue)
  message.show('Claude has ended, and has not got your words' .. where, 'warn')
  for _, prompt in ipairs(keep and queue or {}) do
    keep(prompt.text)
  end
end

---@param target claude_ide.Device
local function poll(target)
  target.read(function(rows)
    local queue = queues[target.id]
    if not rows then
      queues[target.id] = nil
      return lose(queue)
    end
    if advance(target, queue[1], rows) then
      table.remove(queue, 1)
      if #queue == 0 then
        queues[target.id] = nil
        return
      end
      queue[1].since = vim.uv.now()
    end
    vim.defer_fn(function()
      poll(target)
    end, POLL)
  end)
end

---@param pid integer
---@return claude_ide.Device?
local function device_of(pid)
  local terminal = pid == 0 and register.current() or clients.terminal(pid)
  local bufnr = not terminal and clients.buffer(pid) or nil
  return (terminal or bufnr) and device.of(terminal or { bufnr = bufnr }) or nil
end

--- Type a prompt into the terminal in which a client runs, once its prompt box is there; after those
--- that wait for it already. The text is left in the box if the user has begun another one.
---@param pid integer the client's process id; 0: the CLI of `:Claude`
---@param text string may have several lines
---@return { error: string }? refusal if neither a terminal of this Neovim nor a pane of `:Claude` is found
function M.send(pid, text)
  local target = device_of(pid)
  local prompt = { text = harmless(text), since = vim.uv.now() }
  if not target then
    local reason = pid == 0 and 'no terminal of this Neovim runs Claude (:Claude opens one)'
      or 'Claude is not in a terminal of this Neovim'
    return { error = reason .. yank({ prompt }) }
  end
  local queue = queues[target.id]
  if queue then
    table.insert(queue, prompt)
  else
    queues[target.id] = { prompt }
    poll(target)
  end
end

return M
