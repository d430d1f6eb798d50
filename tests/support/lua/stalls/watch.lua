_G.longest, _G.last = 0, os.clock()
local function look()
  local now = os.clock()
  _G.longest, _G.last = math.max(_G.longest, now - _G.last), now
end
_G.watch = vim.uv.new_timer()
_G.watch:start(1, 1, look)
_G.look = look
