--- A common replacement for an autosave plugin: the current buffer is written some time after Insert
--- mode ends, whether or not it has changed, and whatever kind of buffer it is.
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
