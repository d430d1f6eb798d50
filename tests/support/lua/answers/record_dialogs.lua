_G.seen = {}
vim.notify = function(text)
  table.insert(_G.seen, (text:gsub('%s+', ' ')))
end
vim.ui.select = function(items, options)
  table.insert(_G.seen, items[1] .. options.prompt)
end
vim.ui.input = function(options)
  table.insert(_G.seen, options.prompt .. options.default)
end
