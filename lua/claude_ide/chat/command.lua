--- `:ClaudeChat`: what Lua does before the host gets the command, and its completion.
local M = {}

---@alias claude_ide.ChatArgument
---| 'nothing'
---| 'text' free text, to which a `|` belongs
---| 'value' one that the agent offers
---| 'file'

-- The subcommands and their arguments. The host runs them (`Chats.command` in `chat/chats.py`).
---@type table<string, claude_ide.ChatArgument>
local SUBCOMMANDS = {
  answer = 'nothing',
  aside = 'text',
  config = 'value',
  context = 'nothing',
  continue = 'nothing',
  effort = 'value',
  ['end'] = 'nothing',
  export = 'file',
  follow = 'nothing',
  fork = 'nothing',
  list = 'text',
  log = 'nothing',
  mcp = 'nothing',
  mode = 'value',
  model = 'value',
  new = 'value',
  rename = 'text',
  resume = 'value',
  rewind = 'nothing',
  stop = 'nothing',
  tasks = 'nothing',
  thinking = 'value',
}

-- With a range the user wants to write about these lines, so the chat must not be hidden.
---@return boolean is_entered whether there is a chat that a host runs
local function enter_here()
  local panel = require('claude_ide.chat.panel')
  local here = panel.of_tabpage()
  if here and not here.revival then
    panel.enter_prompt(here.chat)
    return true
  end
  return false
end

---@param opts vim.api.keyset.create_user_command.command_args
---@param agent? claude_ide.ChatAgent the usual one if nil
local function begin(opts, agent)
  local host = require('claude_ide.host')
  if host.start() then
    -- The panel opens before the host can answer, because the user may already be typing.
    require('claude_ide.chat.hostless').begin(agent)
    local new = vim.tbl_extend('force', opts, { fargs = { 'new' } })
    host.command('ClaudeChat', new --[[@as vim.api.keyset.create_user_command.command_args]])
  end
end

---@param opts vim.api.keyset.create_user_command.command_args
---@param id string may be empty
local function begin_with(opts, id)
  local agents = require('claude_ide.chat.agents')
  if id == '' then
    return agents.choose(function(agent)
      begin(opts, agent)
    end)
  end
  local agent = agents.find(id)
  if agent then
    return begin(opts, agent)
  end
  local problem = ('there is no agent "%s" (<Tab> lists them)'):format(id)
  require('claude_ide.messages.message').show(problem, 'error')
end

--- Carry out `:[range]ClaudeChat [subcommand] [argument]`.
---@param opts vim.api.keyset.create_user_command.command_args
function M.run(opts)
  local host = require('claude_ide.host')
  -- The command moves the user to the panel; it applies to what is selected now.
  require('claude_ide.selection').hold(opts.range > 0 and { opts.line1, opts.line2 } or nil)
  if opts.range == 0 and require('claude_ide.chat.hostless').run(opts.args) then
    return
  end
  local begins = opts.args == '' and not require('claude_ide.chat.panel').of_tabpage()
  if opts.args == '' and opts.range > 0 and enter_here() then
    return
  end
  local toggles = opts.args == '' and opts.range == 0 and not begins
  if toggles and require('claude_ide.chat.hostless').hide_here() then
    return
  elseif not begins and opts.fargs[1] ~= 'new' then
    return host.command('ClaudeChat', opts)
  elseif begins then
    return begin(opts)
  end
  begin_with(opts, table.concat(opts.fargs, ' ', 2))
end

---@return claude_ide.ChatOffer? offer of the chat that a command applies to
local function offer_here()
  local here = require('claude_ide.chat.panel').here()
  local chat = here and require('claude_ide.chat.state').get(here.chat)
  return chat and chat.offer or nil
end

--- The subcommands that end in free text.
---@return string[]
function M.with_text()
  return vim.tbl_filter(function(word)
    return SUBCOMMANDS[word] == 'text'
  end, vim.tbl_keys(SUBCOMMANDS))
end

local function in_order()
  local words = vim.tbl_keys(SUBCOMMANDS)
  table.sort(words)
  return words
end

-- The arguments of `:ClaudeChat` before the one that is completed.
local function arguments_before(line)
  local words = vim.split(line, '%s+')
  local index = #words
  repeat
    index = index - 1
  until index < 1 or words[index]:find('ClaudeChat$')
  return table.concat(words, ' ', index + 1, #words - 1)
end

--- Complete the subcommands that this chat's agent supports, and their arguments.
---@param lead string
---@param line string
---@param pos integer bytes
---@return string[] candidates
function M.complete(lead, line, pos)
  local before = arguments_before(line:sub(1, pos))
  if SUBCOMMANDS[before] == 'file' then
    return vim.fn.getcompletion(lead, 'file')
  end
  local offer = offer_here() or { choices = {}, lacks = {} }
  local candidates = offer.choices[before] or {}
  if before == '' then
    candidates = vim.tbl_filter(function(word)
      return not vim.list_contains(offer.lacks, word)
    end, in_order())
  elseif before == 'resume' then
    candidates = require('claude_ide.chat.sessions').ids()
  elseif before == 'new' then
    candidates = require('claude_ide.chat.agents').ids()
  end
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, candidates)
end

return M
