vim.api.nvim_create_user_command('ClaudeAdd', function(opts)
  _G.ADDED = opts.fargs
end, {
  nargs = '+',
  bang = true,
  complete = function(...)
    return require('claude_ide.arguments').of_add(...)
  end,
})
