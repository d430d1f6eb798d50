local key, times = ...
local timer = vim.uv.new_timer()
timer:start(
  0,
  15,
  vim.schedule_wrap(function()
    if times > 0 then
      times = times - 1
      vim.api.nvim_input(key)
    elseif not timer:is_closing() then
      timer:close()
      _G.RELEASED = true
    end
  end)
)
