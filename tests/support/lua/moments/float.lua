local buftype, config = ...
local bufnr = vim.api.nvim_create_buf(false, buftype ~= '')
if buftype == 'terminal' then
  vim.api.nvim_buf_call(bufnr, function()
    vim.fn.jobstart({ 'cat' }, { term = true })
  end)
end
local anywhere = { relative = 'editor', row = 1, col = 1, width = 9, height = 3 }
vim.api.nvim_open_win(bufnr, true, vim.tbl_extend('force', anywhere, config or {}))
