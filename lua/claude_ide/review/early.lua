--- Starts the host when a file of a folder is opened in which something waits for review. Only that is looked
--- at: whether the host has left a file that says so (`review/store.py`).
local M = {}

local api, uv = vim.api, vim.uv
local augroup = api.nvim_create_augroup('claude_ide_review_early', { clear = true })

local looked = {} ---@type table<string, true> folders

local function home()
  local given = vim.env.XDG_STATE_HOME or ''
  local state = vim.startswith(given, '/') and given
    or vim.fs.joinpath(uv.os_homedir(), '.local/state')
  return vim.fs.joinpath(state, 'claude_ide/review')
end

-- The host judges all folders.
local function stop()
  api.nvim_clear_autocmds({ group = augroup })
end

local function look(bufnr)
  local name = api.nvim_buf_is_valid(bufnr) and api.nvim_buf_get_name(bufnr) or ''
  if require('claude_ide.channel').id then
    return stop()
  elseif name == '' or vim.bo[bufnr].buftype ~= '' then
    return
  end
  local root = vim.fs.root(name, '.git') or uv.cwd()
  local real = root and not looked[root] and uv.fs_realpath(root)
  looked[root or ''] = true
  if
    not real or not uv.fs_stat(vim.fs.joinpath(home(), vim.fn.sha256(real):sub(1, 32), 'waiting'))
  then
    return
  end
  stop()
  -- Without a Python, the first command says what is missing.
  if require('claude_ide.host.python').find() and require('claude_ide.host').start() then
    require('claude_ide.channel').emit('review_shown', { bufnr = bufnr })
  end
end

--- Look at each file that is opened, if anything waits in any folder.
function M.watch()
  if not uv.fs_stat(home()) then
    return
  end
  api.nvim_create_autocmd('BufReadPost', {
    group = augroup,
    callback = function(event)
      vim.schedule(function()
        look(event.buf)
      end)
    end,
  })
  look(api.nvim_get_current_buf())
end

return M
