--- Sets a winbar, a status line and a status column in every window at each refresh and overwrites
--- other values, as lualine, dropbar and statuscol do.
local api = vim.api

local function write(win)
  vim.wo[win].winbar = ' bars: %f'
  vim.wo[win].statusline = ' bars %m'
end

local function refresh()
  for _, win in ipairs(api.nvim_tabpage_list_wins(0)) do
    -- As in lualine: a window with a single line has no room for a winbar.
    if api.nvim_win_get_config(win).relative == '' and api.nvim_win_get_height(win) > 1 then
      pcall(write, win)
    end
  end
end

api.nvim_create_autocmd({
  'WinEnter',
  'BufEnter',
  'BufWritePost',
  'SessionLoadPost',
  'FileChangedShellPost',
  'VimResized',
}, { callback = refresh })
api.nvim_create_autocmd({ 'Filetype', 'CursorMoved', 'ModeChanged' }, {
  callback = vim.schedule_wrap(refresh),
})
api.nvim_create_autocmd({ 'BufWinEnter' }, {
  callback = function()
    vim.wo.statuscolumn = '%l│'
  end,
})
local timer = assert(vim.uv.new_timer())
timer:start(50, 50, vim.schedule_wrap(refresh))
