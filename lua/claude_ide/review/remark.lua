--- The buffer in which the user writes a remark on lines of a file, or a review before it is sent: `:w`
--- stores or sends it, `:q!` drops it.
local autocommands = require('claude_ide.messages.autocommands')
local channel = require('claude_ide.channel')
local colouring = require('claude_ide.colouring')
local command_buffer = require('claude_ide.file.command_buffer')
local label = require('claude_ide.window.label')
local location = require('claude_ide.window.location')
local message = require('claude_ide.messages.message')
local quiet = require('claude_ide.messages.quiet')
local window_close = require('claude_ide.window.close')

local M = {}

local api = vim.api
local on = autocommands.group('claude_ide_review_remark')

local LEAST, MOST = 5, 15 -- lines of the window

local function text_of(bufnr)
  return vim.trim(table.concat(api.nvim_buf_get_lines(bufnr, 0, -1, true), '\n'))
end

---@class claude_ide.OpenRemark
---@field bufnr integer
---@field title string
---@field words string
---@field is_changed boolean

local open = {} ---@type table<integer, claude_ide.OpenRemark> by token

local function show(bufnr)
  local lines = api.nvim_buf_line_count(bufnr) + 1
  local height = math.max(LEAST, math.min(lines, MOST, vim.o.lines - 6))
  quiet.run(function()
    local win = api.nvim_open_win(bufnr, false, { split = 'below', win = -1, height = height })
    location.return_on_close(win, location.current())
    api.nvim_set_current_win(win)
    -- The new window has inherited the options of the previous one.
    local options = vim.wo[win][0]
    options.winfixbuf, options.winfixheight, options.wrap = true, true, true
  end)
end

--- Let the user write a remark. Emits `answered` {token, text?}; without `text` if they drop it.
---@param token integer
---@param title string
---@param words string those of the remark that is there, or a review
---@param is_changed boolean whether the user has written the words
function M.write(token, title, words, is_changed)
  local bufnr, host = api.nvim_create_buf(false, true), channel.id
  local options = vim.bo[bufnr]
  options.bufhidden, options.buftype, options.swapfile = 'wipe', 'acwrite', false
  options.modeline = false
  label.give(bufnr, 'claude-remark', title)
  api.nvim_buf_set_lines(bufnr, 0, -1, true, vim.split(words, '\n', { plain = true }))
  options.modified = false
  local text ---@type string?
  command_buffer.listen(bufnr, function()
    if channel.id ~= host then
      return message.show('the host has ended: copy your words, and begin again', 'warn')
    end
    text = text_of(bufnr)
    vim.schedule(function()
      location.leave_mode(function()
        window_close.buffer(bufnr)
      end)
    end)
  end)
  command_buffer.write_on_exit(bufnr)
  vim.keymap.set('n', 'ZZ', '<Cmd>write<CR>', { buffer = bufnr, desc = 'Store or send this' })
  -- `:q` refuses to lose what the user has written.
  on('QuitPre', bufnr, function()
    options.modified = not text and (is_changed or text_of(bufnr) ~= vim.trim(words))
    vim.schedule(function()
      if api.nvim_buf_is_valid(bufnr) then
        options.modified = false
      end
    end)
  end)
  open[token] = { bufnr = bufnr, title = title, words = words, is_changed = is_changed }
  on('BufWipeout', bufnr, function()
    open[token] = nil
    channel.emit('answered', { token = token, text = text })
  end)
  show(bufnr)
  colouring.set_filetype(bufnr, 'markdown')
  if words == '' then
    vim.cmd.startinsert()
  end
end

--- Called by the host: close what the user writes, which a later review replaces. What they have changed is
--- kept in another buffer.
---@param token integer
function M.close(token)
  local its = open[token]
  if not its then
    return
  end
  local text = text_of(its.bufnr)
  if its.is_changed or text ~= vim.trim(its.words) then
    message.show(command_buffer.keep(its.title, text, 'your text is', 'markdown'), 'warn')
  end
  window_close.buffer(its.bufnr)
end

return M
