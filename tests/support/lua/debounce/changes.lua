local times = ...
local timer = vim.uv.new_timer()
timer:start(
  0,
  3,
  vim.schedule_wrap(function()
    if times > 0 then
      times, _G.STATE = times - 1, _G.STATE + 1
      _G.LIMITED.soon()
    elseif not timer:is_closing() then
      timer:close()
    end
  end)
)
