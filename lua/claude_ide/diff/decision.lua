--- Buffers that decide something, such as a proposed text: writing one accepts, wiping it out rejects.
local autocommands = require('claude_ide.messages.autocommands')
local buffer_text = require('claude_ide.file.text')
local colouring = require('claude_ide.colouring')
local command_buffer = require('claude_ide.file.command_buffer')
local debounce = require('claude_ide.timing.debounce')
local label = require('claude_ide.window.label')
local message = require('claude_ide.messages.message')
local moment = require('claude_ide.timing.moment')
local plain = require('claude_ide.messages.plain')
local plug = require('claude_ide.window.plug')
local visit = require('claude_ide.window.visit')

local M = {}

local on = autocommands.group('claude_ide_diff_decision')
local MARKED_MS = 10
local INDENTATION = { 'tabstop', 'shiftwidth', 'softtabstop', 'expandtab', 'vartabstop' }

-- Keys of a proposal on its hunks.
---@type { [1]: string, [2]: string, [3]: string[], [4]: string }[] key, <Plug> map, modes, description
local KEYS = {
  { ']c', '<Plug>(claude-hunk-next)', { 'n', 'x', 'o' }, 'Go to the next hunk' },
  { '[c', '<Plug>(claude-hunk-previous)', { 'n', 'x', 'o' }, 'Go to the previous hunk' },
  { 'gX', '<Plug>(claude-hunk-drop)', { 'n', 'x' }, 'Drop the hunk, [count] or selected ones' },
  { 'gY', '<Plug>(claude-hunk-take)', { 'n', 'x' }, 'Take dropped hunks again, likewise' },
}

M.ACCEPT_EDITS = '<Plug>(claude-accept-edits)'

---@class claude_ide.DecisionHandlers
---@field text fun(): string what it is filled with, also by `:edit!`
---@field written fun() called in `BufWriteCmd` when the user, not an autosave, writes it
---@field wiped fun() called when it is wiped out, also after it was written

--- Name a buffer, and fill it with a text to decide on. It stays 'nomodifiable' until the caller unlocks it.
---@param bufnr integer
---@param kind string the last folder of its full name
---@param name string
---@param handlers claude_ide.DecisionHandlers
function M.fill(bufnr, kind, name, handlers)
  local options, is_explained, last = vim.bo[bufnr], false, ''
  label.give(bufnr, kind, plain.one_line(name))
  options.buftype, options.bufhidden, options.swapfile = 'acwrite', 'wipe', false
  options.fileencoding = 'utf-8'
  buffer_text.put(bufnr, handlers.text())
  options.modifiable = false
  local function explain()
    if not is_explained then
      is_explained = true
      message.show(
        'nothing was accepted: type :w yourself (:update and plugins accept nothing)',
        'warn'
      )
    end
  end
  command_buffer.listen(bufnr, handlers.written, explain)
  command_buffer.write_on_exit(bufnr, explain)
  on('BufWipeout', bufnr, handlers.wiped)
  on('BufUnload', bufnr, function()
    last = buffer_text.get(bufnr)
  end)
  on('BufReadCmd', bufnr, function()
    -- `u` brings back what `:edit!` discards.
    buffer_text.put(bufnr, last)
    local parsed = buffer_text.parse(handlers.text())
    require('claude_ide.file.edit').change(bufnr, parsed.lines)
    buffer_text.set_options(bufnr, buffer_text.FORMAT, parsed)
    options.modified = false
  end)
  on('LspAttach', bufnr, function(event)
    vim.schedule(function()
      if vim.api.nvim_buf_is_valid(bufnr) then
        vim.lsp.buf_detach_client(bufnr, event.data.client_id)
      end
    end)
  end)
  vim.keymap.set('n', 'ZZ', '<Cmd>write<CR>', { buffer = bufnr, desc = 'Accept' })
end

--- Fill the buffer `diff.bufnr` with the proposed text. It stays 'nomodifiable' until the caller unlocks it.
---@param diff claude_ide.Diff
---@param decide fun(accepted: boolean) may be called more than once
function M.propose(diff, decide)
  local name = ('%s (%s)'):format(diff.agent or 'Claude', vim.fs.basename(diff.where.path))
  -- We set its start and its end. Named `x.gpg` or `tarfile::x`, the proposal would trigger another plugin's
  -- autocommands, which would write it.
  M.fill(diff.bufnr, 'claude-diff', name, {
    text = function()
      return diff.text
    end,
    written = function()
      decide(true)
    end,
    wiped = function()
      decide(false)
    end,
  })
end

--- Define the keys of a proposal, where the user has none for the same, and mark what they drop.
---@param diff claude_ide.Diff
function M.define_keys(diff)
  local bufnr = diff.bufnr --[[@as integer]]
  for _, key in ipairs(KEYS) do
    plug.define(bufnr, key[3], key[1], key[2], key[4])
  end
  plug.define(bufnr, { 'n' }, 'gA', M.ACCEPT_EDITS, 'Accept, also edits from now on')
  vim.keymap.set('n', 'g?', function()
    require('claude_ide.diff.keys').show(diff, KEYS)
  end, { buffer = bufnr, desc = 'Show the keys', nowait = true })
  local mark = debounce.new(MARKED_MS, function()
    require('claude_ide.diff.keys').mark_dropped(bufnr)
  end).soon
  vim.api.nvim_buf_attach(bufnr, false, { on_lines = mark, on_reload = mark })
end

--- Close the windows of a buffer. Never synchronously: inside the `:wq` that decides, closing a window would
--- make Neovim quit another one.
---@param what string its name in a message
---@param view claude_ide.Visit
---@param when claude_ide.Gate
---@param after? fun(is_closed: boolean)
function M.close(what, view, when, after)
  after = after or function() end
  when(function()
    visit.close(view)
    after(true)
  end, function(reason)
    message.show(('the %s cannot be closed: %s'):format(what, reason), 'error')
    after(false)
  end)
end

--- Close the windows of a buffer that is decided elsewhere. The user's edits are kept in another one.
---@param what string
---@param view claude_ide.Visit
---@param text string as proposed
---@param name string what it was for
---@param after? fun(is_closed: boolean)
function M.withdraw(what, view, text, name, after)
  local has_user = visit.has_user(view)
  local when = has_user and moment.when_free or moment.when_harmless
  M.close(what, view, function(close, on_error)
    return when(function()
      command_buffer.keep_edits(view.bufnr, text, name)
      close()
      if has_user then
        -- Moved back to where they were, they may still be typing for it.
        moment.guard(nil, true)
      end
    end, on_error)
  end, after)
end

--- Give a buffer the filetype of a diff's file.
---@param bufnr integer
---@param diff claude_ide.Diff
---@param original integer the file's own buffer
function M.set_filetype(bufnr, diff, original)
  local filetype = vim.bo[original].filetype
  if filetype == '' then
    filetype = vim.filetype.match({ buf = bufnr, filename = diff.path }) or ''
  end
  colouring.set_filetype(bufnr, filetype)
end

--- Set the filetype and indentation of a proposal to those of its file.
---@param diff claude_ide.Diff
---@param original integer the file's own buffer, or the one shown in its place
function M.match_file(diff, original)
  local options = vim.bo[diff.bufnr]
  M.set_filetype(diff.bufnr, diff, original)
  if vim.bo[original].buftype == '' then
    for _, name in ipairs(INDENTATION) do
      options[name] = vim.bo[original][name]
    end
  end
  -- A filetype plugin may have set these.
  options.bufhidden, options.swapfile, options.modified = 'wipe', false, false
end

return M
