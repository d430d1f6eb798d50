--- Has the plugin's Python check the options that `setup()` sets (`config.py`): a wrong one is reported
--- before anything is started. Options in which nothing was wrong are not checked again. Without a Python
--- that can run the host, the first host reports them.
local options_of = require('claude_ide.host.options')
local python = require('claude_ide.host.python')

local M = {}

local uv = vim.uv

-- A short hash of a text, which may be a secret. Vim's `sha256()` takes two milliseconds at its first use,
-- and the user waits for this.
local function digest_of(text)
  local hash = 0
  for index = 1, #text do
    hash = (hash * 31 + text:byte(index)) % 2 ^ 32
  end
  return ('%.0f'):format(hash)
end

-- The digest of the last options in which nothing was wrong.
local function known_path()
  return vim.fn.stdpath('state') .. '/claude_ide/checked_options'
end

local function read(path)
  local file = io.open(path, 'rb')
  local text = file and file:read('*a')
  if file then
    file:close()
  end
  return text
end

local function remember(digest)
  pcall(vim.fn.mkdir, vim.fs.dirname(known_path()), 'p')
  pcall(vim.fn.writefile, { digest }, known_path(), 'b')
end

-- The names of several wrong options, in one line.
local function summary(complaints)
  local names = vim.tbl_map(function(complaint)
    return complaint:match('^g:claude_ide%.([%w_.]+)')
  end, complaints)
  return ('wrong options: %s (:ClaudeLog)'):format(table.concat(names, ', '))
end

-- Show what is wrong, in one line; the log has one for each.
local function show(complaints)
  local message = require('claude_ide.messages.message')
  if #complaints == 1 then
    return message.show(complaints[1], 'warn')
  end
  for _, complaint in ipairs(complaints) do
    require('claude_ide.messages.log').write('warn', complaint)
  end
  message.show_unlogged(summary(complaints), 'warn')
end

--- Show what is wrong with options, as soon as Python has told.
---@param options table
function M.report(options)
  local sendable, complaints = options_of.sendable(options)
  local ok, json = pcall(vim.json.encode, sendable)
  local list = python.root .. '/python/claude_ide/config.py'
  local stat = uv.fs_stat(list)
  local digest = ok and stat and digest_of(json .. stat.mtime.sec)
  if not digest or #complaints == 0 and digest == read(known_path()) then
    return
  end
  local path = python.find()
  if not path then
    return
  end
  local command = { path, '-I', python.root .. '/python/claude_ide/host.py', '--options' }
  local where = { stdin = json, cwd = require('claude_ide.system.program').neutral }
  pcall(vim.system, command, where, function(done)
    local is_list, found = pcall(vim.json.decode, done.code == 0 and done.stdout or '')
    vim.schedule(function()
      if is_list and #vim.list_extend(complaints, found) > 0 then
        show(complaints)
      elseif is_list then
        remember(digest)
      end
    end)
  end)
end

return M
