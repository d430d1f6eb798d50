-- The first way is chosen, and the suggested rule is accepted.
vim.ui.select = function(items, _, done)
  _G.offered = items
  done(items[1], 1)
end
vim.ui.input = function(options, done)
  _G.rule = options.default
  done(options.default)
end
