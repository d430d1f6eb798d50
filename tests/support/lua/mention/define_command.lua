vim.api.nvim_create_user_command('ClaudeAdd', function(opts)
  _G.ADDED = opts.fargs
end, {
  nargs = '+',
  bang = true,
  complete = 'customlist,claude_ide#arguments#OfAdd',
})
