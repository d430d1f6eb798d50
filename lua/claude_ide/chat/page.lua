--- Pages that the host writes: lines with highlights in a buffer that the user cannot change, and the looks
--- of the floats that show them.
local float = require('claude_ide.window.float')
local message = require('claude_ide.messages.message')
local plain = require('claude_ide.messages.plain')

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace('claude_ide_chat_page')

--- Replace the text of a buffer.
---@param bufnr integer
---@param lines string[]
---@param marks any[] `{ row, column, end_column, group }`
function M.draw(bufnr, lines, marks)
  vim.bo[bufnr].modifiable = true
  api.nvim_buf_set_lines(bufnr, 0, -1, false, vim.tbl_map(plain.harmless, lines))
  vim.bo[bufnr].modifiable = false
  api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  for _, mark in ipairs(marks) do
    local row, first, last, group = unpack(mark)
    local options = { end_col = last, hl_group = group ~= '' and group or nil, strict = false }
    api.nvim_buf_set_extmark(bufnr, namespace, row, first, options)
  end
end

--- Create a buffer for a float, which is wiped out with it.
---@return integer bufnr
function M.buffer()
  local bufnr = api.nvim_create_buf(false, true)
  vim.bo[bufnr].bufhidden, vim.bo[bufnr].undolevels = 'wipe', -1
  return bufnr
end

--- The configuration of a centred float with a title and a footer, which are cut to fit.
---@param title string
---@param footer string
---@param width integer wanted columns
---@param height integer wanted rows
---@return vim.api.keyset.win_config
function M.centred(title, footer, width, height)
  local geometry = float.centred(math.max(width, api.nvim_strwidth(footer)), height)
  return vim.tbl_extend('error', geometry, {
    title = message.fit((' %s '):format(title), geometry.width),
    title_pos = 'center',
    footer = message.fit(footer, geometry.width),
    footer_pos = 'center',
  })
end

return M
