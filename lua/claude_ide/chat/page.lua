--- Pages that the host writes: lines with highlights in a buffer that the user cannot change.
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

return M
