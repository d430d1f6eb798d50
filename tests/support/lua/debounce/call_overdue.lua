local stop = vim.uv.hrtime() + 5 * 40e6
while vim.uv.hrtime() < stop do
  _G.STATE = _G.STATE + 1
  _G.LIMITED.overdue()
end
_G.DURING = #_G.LOOKS
