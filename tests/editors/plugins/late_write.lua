--- What many configurations hold instead of an autosave plugin: the current buffer is written some
--- time after Insert mode was left, whether it has changed or not, and whatever it is.
vim.api.nvim_create_autocmd({ 'InsertLeave', 'TextChanged' }, {
  callback = function()
    vim.defer_fn(function()
      if vim.fn.mode() ~= 'i' then
        vim.g.autosaves = (vim.g.autosaves or 0) + 1
        vim.cmd('silent! write')
      end
    end, 60)
  end,
})
