_G.browsed = {}
vim.ui.open = function(url)
  table.insert(_G.browsed, url)
  return {}
end
