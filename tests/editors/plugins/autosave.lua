--- Saves files automatically, as auto-save.nvim does: immediately when the user leaves a buffer, and
--- with a delay after a change.
local DELAY = 60 -- milliseconds
local timer = assert(vim.uv.new_timer())

vim.api.nvim_create_autocmd({ 'BufLeave', 'FocusLost' }, {
  nested = true,
  command = 'silent! update',
})
vim.api.nvim_create_autocmd({ 'InsertLeave', 'TextChanged' }, {
  nested = true,
  callback = function(event)
    timer:start(
      DELAY,
      0,
      vim.schedule_wrap(function()
        if vim.api.nvim_buf_is_valid(event.buf) and vim.bo[event.buf].modified then
          vim.api.nvim_buf_call(event.buf, function()
            vim.cmd('silent! write')
          end)
        end
        vim.cmd('silent! wall')
        vim.g.autosaves = (vim.g.autosaves or 0) + 1
      end)
    )
  end,
})
