--- Loads files into buffers, without asking the user anything.
local autocommands = require('claude_ide.messages.autocommands')
local buffers = require('claude_ide.file.buffers')
local colouring = require('claude_ide.colouring')
local file_path = require('claude_ide.file.path')
local message = require('claude_ide.messages.message')
local quiet = require('claude_ide.messages.quiet')
local window_close = require('claude_ide.window.close')
local without_events = require('claude_ide.messages.without_events')

local M = {}

local api = vim.api
local on = autocommands.group('claude_ide_file_load')

-- Values of `v:fcs_reason` that mean that another program has written the file.
local CHANGED = { changed = true, conflict = true }
local WINDOW_EVENTS = {
  'BufEnter',
  'BufLeave',
  'BufWinEnter',
  'BufWinLeave',
  'WinClosed',
  'WinEnter',
  'WinLeave',
  'WinNew',
}

--- The buffer of a file, loaded or not, listed or not.
---@param path string
---@return integer? bufnr
---@return string? refusal `{path}: {reason}`, if there is no buffer
function M.add(path)
  local ok, known = pcall(buffers.find, path)
  if ok and known and known.loaded then
    return known.bufnr
  end
  local absolute, refusal = file_path.existing(path, true)
  if not absolute then
    return nil, refusal
  end
  return known and known.bufnr or vim.fn.bufadd(absolute)
end

-- An earlier choice of the user's autocommands wins. By default the file is opened read-only: the swap
-- file may hold the only copy of some text.
local function choose_at_swap_file()
  local owner, choice = vim.fn.swapinfo(vim.v.swapname).pid or 0, vim.v.swapchoice
  vim.v.swapchoice = choice == '' and 'o' or choice
  local how = vim.v.swapchoice == 'o' and 'Opened read-only' or 'Opened anyway'
  return owner > 0 and ('%s: process %d is editing the file, too.'):format(how, owner)
    or ('%s: a crashed editor left a swap file of it (see :help recovery).'):format(how)
end

-- Show a message instead of Neovim's question about a changed file. The choice of another autocommand
-- wins, unless that is the question.
local function keep_text(bufnr)
  local choice = vim.v.fcs_choice
  if not CHANGED[vim.v.fcs_reason] or (choice ~= '' and choice ~= 'ask') then
    return nil
  end
  vim.v.fcs_choice = ''
  local name = vim.fs.basename(api.nvim_buf_get_name(bufnr))
  message.show(('%s has changed on disk; `:edit` reads it'):format(name), 'warn')
  return ('%s has changed on disk since Neovim read it; the older text is shown.'):format(name)
end

-- Call `load`, which loads a buffer. A swap file or a changed file opens no dialog. A failing autocommand
-- shows no error and does not prevent the next ones from running.
---@return string? note
---@return string? error
local function without_dialog(bufnr, load)
  local note
  local function answering(event, buffer, answer)
    return on(event, buffer, function()
      note = answer(bufnr) or note
    end)
  end
  local swap = answering('SwapExists', nil, choose_at_swap_file)
  local changed = answering('FileChangedShell', bufnr, keep_text)
  vim.v.errmsg = ''
  local ok, err = pcall(quiet.run, function()
    colouring.load(bufnr, load)
  end)
  pcall(api.nvim_del_autocmd, swap)
  pcall(api.nvim_del_autocmd, changed)
  if not ok then
    return nil, require('claude_ide.messages.reason').of(err)
  elseif not api.nvim_buf_is_loaded(bufnr) then
    return nil, vim.v.errmsg ~= '' and vim.v.errmsg or 'Neovim did not load the file.'
  end
  return note
end

--- Show a buffer in a window, and load it if necessary.
---@param win integer
---@param bufnr integer
---@return string? note one sentence, if there was a swap file or the file has changed
---@return string? error one line
function M.in_window(win, bufnr)
  local note, err = without_dialog(bufnr, function()
    api.nvim_win_call(win, function()
      vim.cmd.buffer(bufnr)
    end)
  end)
  local is_shown = api.nvim_win_is_valid(win) and api.nvim_win_get_buf(win) == bufnr
  if err or is_shown then
    return note, err
  end
  return nil, vim.v.errmsg ~= '' and vim.v.errmsg or 'an autocommand opened something else'
end

--- Load a buffer without showing it. Without a window, Neovim would not ask about a swap file, and window
--- options of a filetype would be lost.
---@param bufnr integer
---@return string? note
---@return string? error
function M.hidden(bufnr)
  if api.nvim_buf_is_loaded(bufnr) then
    return
  end
  return without_dialog(bufnr, function()
    without_events.run(WINDOW_EVENTS, function()
      local blank = api.nvim_create_buf(false, true)
      vim.bo[blank].bufhidden = 'wipe'
      local win = require('claude_ide.window.float').hidden(blank)
      local ok, err = pcall(api.nvim_win_call, win, function()
        vim.cmd.buffer({ count = bufnr, mods = { hide = true } })
      end)
      window_close.window(win)
      if not ok then
        error(err, 0)
      end
    end)
  end)
end

return M
