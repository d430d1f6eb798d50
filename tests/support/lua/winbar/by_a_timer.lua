_G.writes = 0
_G.timer = vim.uv.new_timer()
_G.timer:start(
  0,
  10,
  vim.schedule_wrap(function()
    for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
      local text = 'theirs ' .. vim.api.nvim_win_get_number(win)
      if vim.wo[win].winbar ~= text then
        _G.writes = _G.writes + 1
        vim.api.nvim_win_call(win, function()
          vim.opt_local.winbar = text
        end)
      end
    end
  end)
)
