--- `:ClaudeChat`: what Lua does before the host gets the command, and the completion of the chat's commands.
--- Completion must wait neither for the host nor for an agent.

local M = {}

-- The subcommands by their arguments: free text, to which a `|` belongs, a value that the agent offers, a
-- file, or nothing. The host runs them (`Chats.command` in `chat/chats.py`).
---@return table<'nothing'|'text'|'value'|'file', string[]>
local function subcommands()
  return vim.fn['claude_ide#arguments#Json']('editor/tables.json').completion.chat
end

local WORKTREE = '--worktree='

--- Carry out `:[range]ClaudeChat [subcommand] [argument]`.
---@param opts vim.api.keyset.create_user_command.command_args
function M.run(opts)
  local host, panel = require('claude_ide.host'), require('claude_ide.chat.panel')
  local is_plain, has_range = opts.args == '', opts.range > 0
  -- The command moves the user to the panel; it applies to what is selected now.
  require('claude_ide.selection').hold(has_range and { opts.line1, opts.line2 } or nil)
  if not has_range and panel.run_alone(opts.args) then
    return
  end
  local here = is_plain and panel.of_tabpage()
  local begins = is_plain and not here
  if here and has_range and not here.revival then
    -- The user wants to write about these lines, so the chat must not be hidden.
    return panel.enter_prompt(here.chat)
  elseif not begins and opts.fargs[1] ~= 'new' then
    if opts.fargs[1] == 'list' then
      vim.fn['claude_ide#lists#Expect']('sessions', 'Sessions')
    end
    return host.command('ClaudeChat', opts)
  end
  local agent = table.concat(opts.fargs, ' ', 2)
  if agent ~= '' and not vim.list_contains(vim.fn['claude_ide#arguments#Agents'](), agent) then
    -- A worktree, whose folder is not there yet, or a mistake.
    host.command('ClaudeChat', opts)
  elseif host.start() then
    -- The panel opens before the host can answer, because the user may already be typing.
    panel.begin({ agent = agent ~= '' and agent or nil, asks = not begins and agent == '' })
    local new = vim.tbl_extend('force', opts, { fargs = { 'new' } })
    host.command('ClaudeChat', new --[[@as vim.api.keyset.create_user_command.command_args]])
  end
end

--- The subcommands that end in free text.
---@return string[]
function M.with_text()
  return subcommands().text
end

local listed = {} ---@type table<string, string[]> ids of sessions, by folder

--- Set the sessions of a folder that agents other than Claude have; the CLI stores Claude's in files.
---@param folder string
---@param ids string[] the latest first
function M.know_sessions(folder, ids)
  listed[folder] = ids
end

-- The sessions of the current folder: Claude's, those that an agent has listed, and those of open chats.
local function sessions()
  local folder = vim.fn.getcwd()
  local found = vim.fn['claude_ide#arguments#SessionIds']()
  vim.list_extend(found, listed[folder] or {})
  for _, chat in ipairs(require('claude_ide.chat.state').list()) do
    if chat.session and chat.options.root == folder then
      table.insert(found, chat.session)
    end
  end
  return found
end

-- The subcommands that this chat's agent supports, or the arguments of one.
local function candidates(before)
  if before == 'resume' then
    return sessions()
  elseif before == 'new' then
    return vim.list_extend(vim.fn['claude_ide#arguments#Agents'](), { WORKTREE })
  elseif vim.startswith(before, 'new ') and not before:find(WORKTREE, 1, true) then
    return { WORKTREE }
  end
  local here = require('claude_ide.chat.panel').here()
  local chat = here and require('claude_ide.chat.state').get(here.chat)
  local offer = chat and chat.offer or { choices = {}, lacks = {} }
  if before ~= '' then
    return offer.choices[before] or {}
  end
  local words = vim.iter(vim.tbl_values(subcommands())):flatten():filter(function(word)
    return not vim.list_contains(offer.lacks, word)
  end)
  local supported = words:totable()
  table.sort(supported)
  return supported
end

--- Complete `:ClaudeChat`.
---@param lead string
---@param line string
---@param pos integer bytes
---@return string[] candidates
function M.complete(lead, line, pos)
  local given = line:sub(1, pos):gsub('^.*ClaudeChat%s+', '')
  local before = vim.trim(given:sub(1, #given - #lead)):gsub('%s+', ' ')
  if vim.list_contains(subcommands().file, before) then
    return vim.fn['claude_ide#arguments#Files'](lead)
  end
  if vim.startswith(before, 'new') and vim.startswith(lead, WORKTREE) then
    local names = vim.fn['claude_ide#arguments#OfWorktrees'](lead:sub(#WORKTREE + 1), '', 0)
    return vim.tbl_map(function(name)
      return WORKTREE .. name
    end, names)
  end
  return vim.fn['claude_ide#arguments#Names'](candidates(before), lead)
end

return M
