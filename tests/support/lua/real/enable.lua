local clients, opened, lint = ...
local real = dofile(vim.env.REAL_SERVERS)
_G.Real = real
vim.o.hidden = true
real.watch()
real.enable(clients)
if lint then
  real.lint()
end
for _, name in ipairs(opened) do
  vim.cmd.edit(name)
end
