--- Has the plugin's Python check the options that `setup()` sets (`config.py`): a wrong one is reported
--- before anything is started. Options in which nothing was wrong are not checked again. Without a Python
--- that can run the host, the first host reports them.
local process = require('claude_ide.host.process')

local M = {}

-- A short hash of a text, which may be a secret. Vim's `sha256()` takes two milliseconds at its first use,
-- and the user waits for this.
local function digest_of(text)
  local hash = 0
  for index = 1, #text do
    hash = (hash * 31 + text:byte(index)) % 2 ^ 32
  end
  return ('%.0f'):format(hash)
end

-- Show what is wrong, in one line; the log has one for each.
local function show(complaints)
  local message = require('claude_ide.messages.message')
  if #complaints == 1 then
    return message.show(complaints[1], 'warn')
  end
  local names = {}
  for _, complaint in ipairs(complaints) do
    require('claude_ide.messages.log').write('warn', complaint)
    table.insert(names, complaint:match('^g:claude_ide%.([%w_.]+)'))
  end
  message.show_unlogged(
    ('wrong options: %s (:ClaudeLog)'):format(table.concat(names, ', ')),
    'warn'
  )
end

--- Show what is wrong with options, as soon as Python has told.
---@param options table
function M.report(options)
  local ok, json = pcall(vim.json.encode, process.sendable(options))
  local stat = vim.uv.fs_stat(process.root .. '/python/claude_ide/config.py')
  local path = ok and stat and vim.fn['claude_ide#python#Find']().path or ''
  if path == '' then
    return
  end
  -- It has the digest of the last options in which nothing was wrong.
  local known = vim.fn['claude_ide#editor#Folder']('state') .. '/checked_options'
  local digest = digest_of(json .. stat.mtime.sec)
  local file = io.open(known, 'rb')
  local is_known = file and file:read('*a') == digest
  if file then
    file:close()
  end
  if is_known then
    return
  end
  local command = { path, '-I', process.root .. '/python/claude_ide/host.py', '--options' }
  local where = { stdin = json, cwd = require('claude_ide.system.program').neutral }
  pcall(vim.system, command, where, function(done)
    local is_list, complaints = pcall(vim.json.decode, done.code == 0 and done.stdout or '')
    vim.schedule(function()
      if is_list and #complaints > 0 then
        show(complaints)
      elseif is_list then
        pcall(vim.fn.mkdir, vim.fs.dirname(known), 'p')
        pcall(vim.fn.writefile, { digest }, known, 'b')
      end
    end)
  end)
end

return M
