local event = ...
_G.opened = 0
vim.api.nvim_create_autocmd(event, {
  callback = function(info)
    local win = tonumber(info.match)
    local tabpage = win and vim.api.nvim_win_is_valid(win) and vim.api.nvim_win_get_tabpage(win)
    for _, beside in ipairs(tabpage and vim.api.nvim_tabpage_list_wins(tabpage) or { 0 }) do
      _G.opened = _G.opened + 1
      pcall(vim.api.nvim_open_win, vim.api.nvim_create_buf(false, true), false, {
        relative = 'win',
        win = beside,
        row = 1,
        col = 1,
        width = 9,
        height = 1,
      })
    end
  end,
})
