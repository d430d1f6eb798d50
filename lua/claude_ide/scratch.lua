--- A text in a buffer of its own, to be read, searched and yanked from.

local M = {}

--- Show a text in a split; closing it is all that is left to do with it.
---@param title string
---@param text string
---@param filetype? string
function M.open(title, text, filetype)
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, vim.split(text, '\r?\n'))
  vim.bo[bufnr].bufhidden = 'wipe'
  vim.bo[bufnr].modifiable = false
  vim.api.nvim_buf_set_name(bufnr, ('claude-text://%d/%s'):format(bufnr, title))
  vim.cmd('botright split')
  vim.wo[0][0].winfixbuf = false
  vim.api.nvim_win_set_buf(0, bufnr)
  if filetype and filetype ~= vim.NIL then
    pcall(function()
      vim.bo[bufnr].filetype = filetype
    end)
  end
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = bufnr, nowait = true, desc = 'Close' })
end

return M
