local event = ...
_G.entered = 0
vim.api.nvim_create_autocmd(event, {
  once = true,
  callback = function()
    _G.entered = _G.entered + 1
    vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), true, {
      relative = 'editor',
      row = 1,
      col = 1,
      width = 9,
      height = 1,
    })
  end,
})
