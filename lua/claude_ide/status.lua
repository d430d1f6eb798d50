--- The float of `:ClaudeStatus`.
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

local function client_lines(client, now)
  local name = client.version ~= '' and client.name .. ' ' .. client.version or client.name
  local pid = client.pid > 0 and (' · pid %d'):format(client.pid) or ''
  local since = os.date('%H:%M:%S', math.floor(client.since))
  local line = ('  %s%s · since %s (%s)'):format(name, pid, since, ago(now - client.since))
  return client.responsive and line or line .. ' · does not answer'
end

--- The lines of the float, as `App.describe` gives the facts.
---@param status table
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
  lines[#lines + 1] = ''
  section(
    'Clients',
    vim.tbl_map(function(client)
      return client_lines(client, status.now)
    end, status.clients)
  )
  section(
    'Open diffs',
    vim.tbl_map(function(diff)
      return '  ' .. relative(diff.path) .. (diff.shown and '' or ' (waits for a free moment)')
    end, status.diffs)
  )
  section(
    'Mentions that wait for a client',
    vim.tbl_map(function(path)
      return '  ' .. relative(path)
    end, status.mentions)
  )
  return lines
end

--- Show the status in a float that `q` or <Esc> closes.
---@param status table
function M.show(status)
  local lines = M.lines(status)
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].bufhidden, vim.bo[bufnr].modifiable = 'wipe', false
  vim.bo[bufnr].filetype = 'claude-ide-status'
  local width = 0
  for _, line in ipairs(lines) do
    width = math.max(width, vim.api.nvim_strwidth(line))
  end
  width = math.max(1, math.min(width, vim.o.columns - 4))
  local height = math.max(1, math.min(#lines, vim.o.lines - 4))
  local window = vim.api.nvim_open_win(bufnr, true, {
    relative = 'editor',
    row = math.floor((vim.o.lines - height) / 2) - 1,
    col = math.floor((vim.o.columns - width) / 2) - 1,
    width = width,
    height = height,
    style = 'minimal',
    border = 'rounded',
    title = ' claude-ide ',
    title_pos = 'center',
  })
  vim.wo[window].wrap = false
  local function close()
    pcall(vim.api.nvim_win_close, window, true)
  end
  for _, key in ipairs({ 'q', '<Esc>' }) do
    vim.keymap.set('n', key, close, { buffer = bufnr, nowait = true })
  end
  vim.api.nvim_create_autocmd('WinLeave', { buffer = bufnr, once = true, callback = close })
end

return M
