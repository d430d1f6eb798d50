--- What becomes of the CLIs in terminals that work when Neovim exits (`terminal.quit`): the host decides.
local channel = require('claude_ide.channel')
local close = require('claude_ide.window.close')
local own_options = require('claude_ide.own_options')
local quiet = require('claude_ide.messages.quiet')

local M = {}

local api = vim.api
local augroup = api.nvim_create_augroup('claude_ide_terminal_quit', { clear = true })

local INTERRUPTED = 'you have interrupted what takes Claude to the background'
local LONGEST_MS = 60000 -- for which the host may send sessions to the background
local LONGEST_DRAWING_MS = 200
local POLL_MS = 20
local WRITTEN = { '', 'acwrite' } -- values of 'buftype'

local problem ---@type string? why Neovim should not exit, once the host has answered; empty: it may
local later ---@type fun()[]? what has to wait until it is clear whether Neovim exits

--- Called by the host.
---@param found string
function M.answer(found)
  problem = found
end

--- Call `fn` once it is clear whether Neovim exits: if a window closes in `ExitPre`, it does not.
---@param fn fun()
function M.after(fn)
  if later then
    table.insert(later, fn)
  else
    fn()
  end
end

-- For `:x`, `:wq` and `ZZ`, Neovim exits already, and draws no terminal any more: the host would not see what
-- it types there.
local function draws_terminals()
  return quiet.run(function()
    local bufnr = api.nvim_create_buf(false, true)
    api.nvim_chan_send(api.nvim_open_term(bufnr, {}), 'x')
    local is_drawn = vim.wait(LONGEST_DRAWING_MS, function()
      return vim.startswith(api.nvim_buf_get_lines(bufnr, 0, 1, true)[1], 'x')
    end, POLL_MS)
    close.buffer(bufnr)
    return is_drawn
  end)
end

---@param how 'ask'|'background'
---@param is_certain boolean whether Neovim exits in any case
---@return string problem
local function ask(how, is_certain)
  problem, later = nil, {}
  local is_drawn = how == 'ask' or draws_terminals()
  channel.emit('quit_asked', { how = how, is_certain = is_certain, is_drawn = is_drawn })
  local is_answered, why = vim.wait(LONGEST_MS, function()
    return problem ~= nil or channel.id == nil
  end, POLL_MS)
  vim.iter(later):each(vim.schedule)
  later = nil
  if is_answered then
    return problem or ''
  end
  return why == -2 and INTERRUPTED or 'the host does not answer'
end

-- A changed buffer with the problem as its name: Neovim refuses to exit as it does for any other, and
-- `:qa!` still does. Neovim may show it in the current window.
---@param name string
local function refuse(name)
  local bufnr = api.nvim_create_buf(false, false)
  local win, here, view =
    api.nvim_get_current_win(), api.nvim_get_current_buf(), vim.fn.winsaveview()
  vim.bo[bufnr].buftype, vim.bo[bufnr].bufhidden = 'acwrite', 'hide'
  api.nvim_buf_set_name(bufnr, name)
  vim.bo[bufnr].modified = true
  vim.schedule(function()
    if api.nvim_win_is_valid(win) and api.nvim_win_get_buf(win) == bufnr then
      api.nvim_win_set_buf(win, here)
      api.nvim_win_call(win, function()
        vim.fn.winrestview(view)
      end)
    end
    close.buffer(bufnr)
  end)
end

-- Whether Neovim exits only if buffers are written first, or given up.
local function has_changes()
  return vim.iter(api.nvim_list_bufs()):any(function(bufnr)
    return vim.bo[bufnr].modified and vim.list_contains(WRITTEN, vim.bo[bufnr].buftype)
  end)
end

---@param event { event: string }
local function on_exit(event)
  local wanted, is_certain = own_options.get('terminal', 'quit'), event.event == 'VimLeavePre'
  if not channel.id or wanted ~= 'ask' and wanted ~= 'background' then
    return
  elseif
    wanted == 'ask' and is_certain or wanted == 'background' and not is_certain and has_changes()
  then
    return
  end
  local found = ask(wanted, is_certain)
  if found ~= '' and not is_certain then
    refuse(found)
  end
end

--- Follow the exit of Neovim from now on: a CLI runs.
function M.watch()
  api.nvim_clear_autocmds({ group = augroup })
  api.nvim_create_autocmd({ 'ExitPre', 'VimLeavePre' }, { group = augroup, callback = on_exit })
end

return M
