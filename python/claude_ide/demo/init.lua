-- What `make try` starts Neovim with, in place of the user's own config.
local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
local root = vim.fs.normalize(here .. '/../../..')
vim.opt.runtimepath:prepend(root)

vim.o.number = true
vim.o.signcolumn = 'yes'
vim.o.mouse = 'a'
vim.o.shortmess = vim.o.shortmess .. 'I'

local group = vim.api.nvim_create_augroup('try', {})

-- A terminal takes keys as soon as one is in it, and CTRL-W leads out of it.
vim.keymap.set('t', '<C-w>', '<C-\\><C-n><C-w>')
vim.api.nvim_create_autocmd('WinEnter', {
  group = group,
  callback = function()
    if vim.bo.buftype == 'terminal' then
      vim.cmd.startinsert()
    end
  end,
})

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
