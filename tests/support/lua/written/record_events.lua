_G.events = {}
for event, pattern in pairs({ FileChangedShellPost = '*', User = 'ClaudeFileWritten' }) do
  vim.api.nvim_create_autocmd(event, {
    pattern = pattern,
    callback = function(args)
      table.insert(_G.events, {
        event = event,
        data = args.data,
        bufnr = vim.api.nvim_get_current_buf(),
        text = table.concat(vim.fn.getline(1, '$'), '\n') .. '\n',
        modified = vim.bo.modified,
      })
    end,
  })
end
