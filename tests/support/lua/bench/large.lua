-- An editor with much of everything that the model can ask about.
local source, unsaved, undone = ...
vim.o.hidden = true
for n = 1, 500 do
  vim.cmd.badd(('folder%d/file%d.lua'):format(n % 20, n))
end
for _, path in ipairs({ unsaved, undone }) do
  vim.cmd.edit(vim.fn.fnameescape(path))
  for n = 1, 100 do
    vim.fn.append(n * 100, 'a line that is not saved')
    vim.cmd('let &undolevels = &undolevels')
  end
end
vim.cmd.edit(vim.fn.fnameescape(source))
local items = {}
for n = 1, 50000 do
  items[n] = { filename = source, lnum = n % 1000 + 1, col = 1, text = 'a place in the code' }
end
vim.fn.setqflist({}, ' ', { title = 'many places', items = items })
vim.fn.setreg('a', ('a line of a register\n'):rep(50000))
for n = 1, 1000 do
  vim.keymap.set('n', ('gz%d'):format(n), '<Cmd>echo 1<CR>')
  vim.api.nvim_create_autocmd('User', { pattern = 'Pattern' .. n, command = 'echo 1' })
end
