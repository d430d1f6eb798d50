--- `:ClaudeStatus`: shows the status in a float.
local float = require('claude_ide.window.float')

local M = {}

local function ago(seconds)
  if seconds < 60 then
    return ('%d s ago'):format(seconds)
  elseif seconds < 3600 then
    return ('%d min ago'):format(seconds / 60)
  end
  return ('%d h ago'):format(seconds / 3600)
end

local function relative(path)
  return vim.fn.fnamemodify(path, ':~:.')
end

-- The name of the terminal in which a client runs.
local function terminal_of(pid)
  local register = package.loaded['claude_ide.terminal.register']
  local terminal = register and register.of_client(pid)
  return terminal and (' · %s'):format(terminal.name) or ''
end

local function client_lines(client, now)
  local name = client.version ~= '' and client.name .. ' ' .. client.version or client.name
  local pid = client.pid > 0 and (' · pid %d'):format(client.pid) or ''
  local folder = client.folder ~= '' and ' · ' .. vim.fn.fnamemodify(client.folder, ':~') or ''
  local since = os.date('%H:%M:%S', math.floor(client.since))
  local where = terminal_of(client.pid) .. folder .. pid
  local line = ('  %s%s · since %s (%s)'):format(name, where, since, ago(now - client.since))
  return client.responsive and line or line .. ' · does not answer'
end

local function chat_line(chat)
  local title = chat.title ~= '' and (' · %s'):format(chat.title) or ''
  local folder = vim.fn.fnamemodify(chat.folder, ':~')
  return ('  %s · %s%s · %s'):format(chat.agent, chat.state, title, folder)
end

--- The lines of the float.
---@param status table the result of `App.describe`
---@return string[]
function M.lines(status)
  local lines = {}
  local function section(title, items)
    lines[#lines + 1] = ('%s: %s'):format(title, #items == 0 and 'none' or #items)
    vim.list_extend(lines, items)
  end
  if status.address then
    lines[#lines + 1] = 'Server:  ' .. status.address .. ' as ' .. status.name
    lines[#lines + 1] = 'Lock:    ' .. relative(status.lock)
    lines[#lines + 1] = 'Folders: ' .. table.concat(vim.tbl_map(relative, status.folders), ', ')
  else
    lines[#lines + 1] = 'Server:  not running (:ClaudeStart)'
  end
  if not require('claude_ide.selection').is_shared() then
    lines[#lines + 1] = 'The selection stays in Neovim (:ClaudeShare on)'
  end
  local private = require('claude_ide.privacy').why(0)
  if private then
    lines[#lines + 1] = private
  end
  for _, problem in ipairs(require('claude_ide.privacy').problems()) do
    lines[#lines + 1] = 'Privacy: ' .. problem .. ' (:checkhealth claude_ide)'
  end
  lines[#lines + 1] = ''
  section(
    'Clients',
    vim.tbl_map(function(client)
      return client_lines(client, status.now)
    end, status.clients)
  )
  section('Chats', vim.tbl_map(chat_line, status.chats))
  section(
    'Open diffs',
    vim.tbl_map(function(diff)
      return '  ' .. relative(diff.path) .. (diff.shown and '' or ' (waiting for a free moment)')
    end, status.diffs)
  )
  section(
    'Mentions waiting for a client',
    vim.tbl_map(function(path)
      return '  ' .. relative(path)
    end, status.mentions)
  )
  return lines
end

--- Show the status in a float that `q` or <Esc> closes.
---@param status table the result of `App.describe`
function M.show(status)
  float.show(M.lines(status), { title = 'claude-ide', filetype = 'claude-ide-status' })
end

return M
