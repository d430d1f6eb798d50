_G.other = {}
vim.api.nvim_create_autocmd({
  'WinNew',
  'WinEnter',
  'WinLeave',
  'WinClosed',
  'BufEnter',
  'BufLeave',
  'BufWinEnter',
  'BufHidden',
  'TabEnter',
  'ModeChanged',
  'InsertLeave',
  'TermLeave',
  'BufWritePre',
  'BufReadPost',
}, {
  callback = function(args)
    table.insert(_G.other, args.event)
  end,
})
