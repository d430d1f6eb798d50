--- Tells the host, which is started if necessary, of the folders in whose files something waits for review.
--- Only that is looked at: whether a host has left a file that says so (`review/store.py`).
local M = {}

local api, uv = vim.api, vim.uv

local known = {} ---@type table<string, true> folders that the host has been told of

local function mark_of(folder)
  local given = vim.env.XDG_STATE_HOME or ''
  local state = vim.startswith(given, '/') and given
    or vim.fs.joinpath(uv.os_homedir(), '.local/state')
  local name = vim.fn.sha256(folder):sub(1, 32)
  return vim.fs.joinpath(state, 'claude_ide/review', name, 'waiting')
end

-- The innermost folder around a file that has a mark.
local function folder_of(path)
  for folder in vim.fs.parents(path) do
    if uv.fs_stat(mark_of(folder)) then
      return folder
    end
  end
end

local function look(bufnr)
  local name = api.nvim_buf_is_valid(bufnr) and api.nvim_buf_get_name(bufnr) or ''
  if name == '' or vim.bo[bufnr].buftype ~= '' then
    return
  end
  local parent = uv.fs_realpath(vim.fs.dirname(name))
  local folder = parent and folder_of(vim.fs.joinpath(parent, 'file'))
  if not folder or known[folder] then
    return
  end
  known[folder] = true
  local channel = require('claude_ide.channel')
  -- Without a Python, the first command says what is missing.
  if
    channel.id or require('claude_ide.host.python').find() and require('claude_ide.host').start()
  then
    channel.emit('review_left', { folder = folder })
  end
end

--- Look at each file that comes to a window, and again when the user returns, perhaps from another editor.
function M.watch()
  api.nvim_create_autocmd({ 'BufWinEnter', 'FocusGained' }, {
    group = api.nvim_create_augroup('claude_ide_review_early', { clear = true }),
    callback = function(event)
      vim.schedule(function()
        look(event.buf)
      end)
    end,
  })
  look(api.nvim_get_current_buf())
end

return M
