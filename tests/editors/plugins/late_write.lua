--- What many configurations hold instead of an autosave plugin: the current buffer is written some
--- time after Insert mode was left, whether it has changed or not, and whatever it is.
vim.api.nvim_create_autocmd({ 'InsertLeave', 'TextChanged' }, {
  callback = function()
    vim.defer_fn(function()
      if vim.fn.mode() ~= 'i' then
        vim.g.late_writes = (vim.g.late_writes or 0) + 1
        vim.cmd('silent! write')
      end
    end, 60)
  end,
})
