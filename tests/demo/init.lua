-- What `make try` starts Neovim with, in place of the user's own config.
local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
local root = vim.fs.normalize(here .. '/../..')
vim.opt.runtimepath:prepend(root)

-- The checkout stays as it is: the tags of :help are made from a copy, beside the project.
local help = vim.fs.dirname(vim.fn.getcwd()) .. '/help'
vim.fn.mkdir(help .. '/doc', 'p')
for name in vim.fs.dir(root .. '/doc') do
  if vim.endswith(name, '.txt') then
    vim.uv.fs_copyfile(('%s/doc/%s'):format(root, name), ('%s/doc/%s'):format(help, name))
  end
end
vim.cmd.helptags(vim.fn.fnameescape(help .. '/doc'))
vim.opt.runtimepath:append(help)

vim.o.number = true
vim.o.linebreak = true
vim.o.breakat = ' '
vim.o.breakindent = true
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

vim.api.nvim_create_autocmd('FileType', {
  group = group,
  pattern = 'markdown',
  callback = function()
    -- A distribution may package the parser separately.
    if pcall(vim.treesitter.start) then
      vim.wo[0][0].conceallevel = 2
    end
  end,
})

dofile(here .. '/linter.lua')

vim.api.nvim_create_autocmd('VimEnter', {
  group = group,
  callback = function()
    vim.cmd.Claude()
  end,
})
