--- Types prompts into the terminals in which CLIs run, as a user does: the text, then Enter.
---
--- The CLI regards keys that arrive together with a text as a part of it, so Enter waits until the prompt
--- box shows the text. Dialogs replace that box: none is answered by a prompt. A dialog that opens at that
--- moment swallows the text, and just after a dialog the CLI ignores Enter: both are typed again then.
local clients = require('claude_ide.terminal.clients')
local device = require('claude_ide.terminal.device')
local message = require('claude_ide.say.message')
local register = require('claude_ide.terminal.register')

local M = {}

-- Milliseconds.
local POLL = 50
local TAKEN = 5000 -- within which the box shows a text
local AGAIN = 1500 -- after which a text or an Enter that has changed nothing is typed again
local NOTICE = 3000 -- after which a message says what a prompt waits for

local TRIES = 3
local LOWEST = 60 -- rows of the terminal in which the box may be
local CARET = '❯'
-- After a resize, the CLI may have drawn the line below over a rule, which is then interrupted.
local RULE = '^──.*────'
-- Above the box.
local ABOUT_TO_ASK = '^%s*Waiting for permission'
local IN_BOX = "your words are in Claude's prompt: press Enter there to send them"

---@class claude_ide.TypedPrompt
---@field text string
---@field since number when it was first in the queue, milliseconds
---@field pasted? number when it was pasted, or a dialog last covered the box after that
---@field pastes? integer
---@field before? string content of the box when it was pasted
---@field entered? number when Enter was pressed
---@field presses? integer
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

-- The content of the prompt box, between the last two rules; nil if there is none, or if a dialog is about
-- to replace it. A dialog has a caret below a rule, too, but in front of a numbered answer or further below.
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
  elseif upper > 1 and rows[upper - 1]:find(ABOUT_TO_ASK) then
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

-- Only the text: a sequence of control characters could end the paste, and would then be keys. A `!` at its
-- beginning would be a key, too: it makes a command for the shell of the text.
local function harmless(text)
  local plain =
    text:gsub('\r\n?', '\n'):gsub('[%z\1-\8\11-\31\127]', ''):gsub('\194[\128-\159]', '')
  plain = plain:gsub('%s+$', ''):gsub('^!', ' !')
  -- After `@file` or `@"a file"`, Enter would choose from a menu, whose text may be another one.
  local is_mention = plain:find('@%S*$') or plain:find('@"[^"\n]*"?$')
  return is_mention and plain .. ' ' or plain
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

local keep ---@type fun(text: string)?

-- Keep the words of prompts that the CLI has not got.
local function lose(prompts, why)
  local where = keep and ': :ClaudePrompt has them' or yank(prompts)
  message.show(why .. ', and has not got your words' .. where, 'warn')
  for _, prompt in ipairs(keep and prompts or {}) do
    keep(prompt.text)
  end
end

--- Call `fn` with each prompt that a CLI has not got, because it has ended or takes no text.
---@param fn fun(text: string)
function M.on_lost(fn)
  keep = fn
end

-- Paste the text into the box, which has this content; return whether that is given up.
local function paste(target, prompt, content)
  prompt.pastes = (prompt.pastes or 0) + 1
  if prompt.pastes > TRIES then
    lose({ prompt }, 'Claude takes no text now')
    return true
  end
  prompt.pasted, prompt.before = vim.uv.now(), content
  target.paste(prompt.text)
  return false
end

-- Press Enter; return whether that is given up.
local function enter(target, prompt)
  prompt.presses = (prompt.presses or 0) + 1
  if prompt.presses > TRIES then
    message.show(IN_BOX, 'warn')
    return true
  end
  -- What follows would be regarded as pasted with it, so the prompt has to leave the box first.
  prompt.entered = vim.uv.now()
  target.enter()
  return false
end

-- Type as much as is possible now; return whether the prompt is finished.
---@param target claude_ide.Device
---@param prompt claude_ide.TypedPrompt
---@param rows string[] of the screen
local function advance(target, prompt, rows)
  local content, now = box_of(rows), vim.uv.now()
  if content and has_taken(content, prompt.text) then
    local is_due = not prompt.entered or now - prompt.entered >= AGAIN
    return is_due and enter(target, prompt)
  elseif prompt.entered then
    return true
  elseif not content then
    -- What a dialog does with a text is seen when the box is there again.
    prompt.pasted = prompt.pasted and now
    mention(prompt)
    return false
  elseif not prompt.pasted or (content == prompt.before and now - prompt.pasted >= AGAIN) then
    return paste(target, prompt, content)
  elseif now - prompt.pasted < TAKEN then
    return false
  end
  -- Perhaps the user had begun a prompt: what happens to it is for them to decide.
  message.show(IN_BOX, 'warn')
  return true
end

---@param target claude_ide.Device
local function poll(target)
  target.read(function(rows)
    local queue = queues[target.id]
    if not rows then
      queues[target.id] = nil
      return lose(queue, 'Claude has ended')
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
