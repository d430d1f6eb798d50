vim.api.nvim_create_autocmd(..., {
  callback = function(info)
    local is_blank = vim.api.nvim_buf_get_name(info.buf) == ''
    if is_blank and vim.api.nvim_win_get_config(0).relative == '' then
      vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), true, {
        relative = 'editor',
        row = 1,
        col = 1,
        width = 9,
        height = 1,
      })
    end
  end,
})
