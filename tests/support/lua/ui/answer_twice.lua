vim.ui.select = function(items, _, on_choice)
  on_choice(items[2], 2)
  on_choice(nil, nil)
end
vim.ui.input = function(_, on_confirm)
  on_confirm('first')
  on_confirm('second')
end
