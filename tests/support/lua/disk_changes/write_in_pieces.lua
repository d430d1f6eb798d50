local path, pieces = ...
local file = assert(io.open(path, 'w'))
local timer = assert(vim.uv.new_timer())
timer:start(0, 20, function()
  local piece = table.remove(pieces, 1)
  if not piece then
    file:close()
    return timer:close()
  end
  file:write(piece)
  file:flush()
end)
