local began = vim.uv.hrtime()
for i = 1, 60 do
  vim.cmd.badd(('%s/f%d.txt'):format(..., i))
  vim.wait(5)
end
return (vim.uv.hrtime() - began) / 1e6
