local path = ...
_G.reloads, _G.lines = 0, 0
vim.api.nvim_buf_attach(0, false, {
  on_lines = function()
    _G.reloads = _G.reloads + 1
  end,
})
local timer = assert(vim.uv.new_timer())
timer:start(0, 150, function()
  local file = assert(io.open(path, 'a'))
  file:write('more\n')
  file:close()
  _G.lines = _G.lines + 1
  if _G.lines == 20 then
    timer:close()
  end
end)
