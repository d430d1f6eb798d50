local number = ...
_G.floats = vim.tbl_filter(vim.api.nvim_win_is_valid, _G.floats or {})
local win = _G.floats[number % #_G.floats + 1]
local tabpage = win and vim.api.nvim_win_get_tabpage(win)
-- Neovim does not survive neovim_faults/entered_floats_close_from_another_tab_page.lua.
if
  win
  and (
    tabpage == vim.api.nvim_get_current_tabpage() or vim.api.nvim_tabpage_get_win(tabpage) ~= win
  )
then
  pcall(vim.api.nvim_win_close, win, true)
end
