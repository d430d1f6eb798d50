local paths = ...
for _, path in ipairs(paths) do
  pcall(vim.cmd.edit, vim.fn.fnameescape(path))
  pcall(vim.api.nvim_buf_set_lines, 0, 0, 0, false, { 'local unsaved = 1', ('é'):rep(5000) })
  vim.cmd('normal! mA')
end
local items = {}
for n = 1, 20000 do
  items[n] = {
    filename = paths[n % #paths + 1],
    lnum = n,
    col = n,
    text = ('text\n\27]0;x\7 %d '):format(n):rep(20),
  }
end
vim.fn.setqflist({}, ' ', { title = ('a\ntitle'):rep(5000), items = items })
vim.fn.setreg('a', ('register \27[31m \255\n'):rep(20000))
for n = 1, 300 do
  vim.cmd(('command! Otter%d echo %s'):format(n, ("'" .. ('long '):rep(200) .. "'")))
  vim.cmd(('echomsg %s'):format("'" .. ('message '):rep(300) .. "'"))
end
vim.cmd('redraw')
