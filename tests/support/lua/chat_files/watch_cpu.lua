-- Measure the most CPU time (milliseconds) that Neovim needs between two turns of its event loop.
local function cpu()
  local used = vim.uv.getrusage()
  return (used.utime.sec + used.stime.sec) * 1e3 + (used.utime.usec + used.stime.usec) / 1e3
end

collectgarbage()
local last = cpu()
_G.longest = 0
assert(vim.uv.new_timer()):start(
  0,
  1,
  vim.schedule_wrap(function()
    local now = cpu()
    _G.longest, last = math.max(_G.longest, now - last), now
  end)
)
