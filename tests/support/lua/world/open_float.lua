local kind, number = ...
local api = vim.api
local bufnr = api.nvim_create_buf(false, true)
vim.bo[bufnr].bufhidden = 'wipe'
local config = { relative = 'editor', row = 1 + number % 5, col = 5, width = 12, height = 2 }
if kind == 'label' then
  config = { relative = 'win', win = 0, row = 0, col = 0, width = 5, height = 1 }
  config.focusable = false
elseif kind == 'elsewhere' then
  local tabpages = api.nvim_list_tabpages()
  local tabpage = tabpages[number % #tabpages + 1]
  local wins = vim.tbl_filter(function(win)
    return api.nvim_win_get_config(win).relative == ''
  end, api.nvim_tabpage_list_wins(tabpage))
  local win = wins[number % #wins + 1]
  config = { relative = 'win', win = win, row = 0, col = 0, width = 5, height = 1 }
  -- Neovim does not survive neovim_faults/float_closed_from_another_tab_page.lua.
  config.noautocmd = true
end
config.style = 'minimal'
_G.floats = _G.floats or {}
local ok, win = pcall(api.nvim_open_win, bufnr, kind == 'focus', config)
if ok then
  table.insert(_G.floats, win)
end
