vim.api.nvim_create_user_command('Go', function(opts)
  local lines = opts.range > 0 and { opts.line1, opts.line2 } or nil
  require('claude_ide.selection').hold(lines)
  vim.defer_fn(function()
    vim.api.nvim_set_current_win(_G.TERMINAL)
  end, 120)
end, { range = true })
vim.keymap.set('x', 'Q', '<Cmd>Go<CR>')
vim.keymap.set('x', 'K', ':<C-u>Go<CR>')
