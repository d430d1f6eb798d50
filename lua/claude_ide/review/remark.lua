--- The buffer in which the user writes a remark on lines of a file, or a review before it is sent: `:w`
--- stores or sends it, `:q!` drops it.
local channel = require('claude_ide.channel')
local colouring = require('claude_ide.colouring')
local label = require('claude_ide.window.label')
local quiet = require('claude_ide.messages.quiet')
local window_close = require('claude_ide.window.close')

local M = {}

local api = vim.api
local augroup = api.nvim_create_augroup('claude_ide_review_remark', { clear = true })

local LEAST, MOST = 5, 15 -- lines of the window

local function text_of(bufnr)
  return vim.trim(table.concat(api.nvim_buf_get_lines(bufnr, 0, -1, true), '\n'))
end

--- Let the user write a remark. Emits `answered` {token, text?}; without `text` if they drop it.
---@param token integer
---@param title string
---@param words string those of the remark that is there
function M.write(token, title, words)
  local bufnr = api.nvim_create_buf(false, true)
  vim.bo[bufnr].bufhidden, vim.bo[bufnr].buftype, vim.bo[bufnr].swapfile = 'wipe', 'acwrite', false
  label.give(bufnr, 'claude-remark', title)
  api.nvim_buf_set_lines(bufnr, 0, -1, true, vim.split(words, '\n', { plain = true }))
  vim.bo[bufnr].modified = false
  local text ---@type string?
  local function on(event, callback)
    api.nvim_create_autocmd(event, { group = augroup, buffer = bufnr, callback = callback })
  end
  on('BufWriteCmd', function()
    text = text_of(bufnr)
    vim.bo[bufnr].modified = false
    vim.schedule(function()
      window_close.buffer(bufnr)
    end)
  end)
  on('BufWipeout', function()
    channel.emit('answered', { token = token, text = text })
  end)
  local height = math.max(LEAST, math.min(api.nvim_buf_line_count(bufnr) + 1, MOST))
  quiet.run(function()
    vim.cmd(('belowright %dsplit'):format(height))
    api.nvim_win_set_buf(0, bufnr)
  end)
  colouring.set_filetype(bufnr, 'markdown')
  if words == '' then
    vim.cmd.startinsert()
  end
end

return M
