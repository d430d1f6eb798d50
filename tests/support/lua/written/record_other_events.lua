_G.other_events = {}
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
    table.insert(_G.other_events, args.event)
  end,
})
