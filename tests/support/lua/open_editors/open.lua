local folder, count = ...
for i = 1, count do
  vim.cmd.badd(('%s/f%03d.txt'):format(folder, i))
end
