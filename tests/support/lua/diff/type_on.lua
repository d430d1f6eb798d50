-- In Neovim's own loop, so that a busy machine causes no pauses between the keys.
local key, times = ...
_G.tabpages, _G.times = {}, times
local timer = assert(vim.uv.new_timer())
timer:start(
  100,
  100,
  vim.schedule_wrap(function()
    if #_G.tabpages < _G.times then
      table.insert(_G.tabpages, vim.fn.tabpagenr('$'))
      vim.api.nvim_input(key)
    elseif not timer:is_closing() then
      timer:close()
    end
  end)
)
