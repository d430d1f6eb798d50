local path = ...
_G.lines = 0
local timer = assert(vim.uv.new_timer())
timer:start(0, 20, function()
  local file = assert(io.open(path, 'a'))
  file:write('more\n')
  file:close()
  _G.lines = _G.lines + 1
  if _G.lines == 150 then
    timer:close()
  end
end)
