-- What `make try` starts Neovim with, in place of the user's own config.
local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
local root = vim.fs.normalize(here .. '/../../..')
vim.opt.runtimepath:prepend(root)

vim.o.number = true
vim.o.signcolumn = 'yes'
vim.o.mouse = 'a'
vim.o.shortmess = vim.o.shortmess .. 'I'

local group = vim.api.nvim_create_augroup('try', {})

vim.api.nvim_create_autocmd('TermOpen', {
  group = group,
  callback = function()
    vim.wo[0][0].statusline = ' %{get(b:, "term_title", "")}'
  end,
})

dofile(here .. '/linter.lua')

vim.api.nvim_create_autocmd('VimEnter', {
  group = group,
  callback = function()
    vim.cmd.Claude()
  end,
})
