--- A map of the text at the right edge, as in mini.map: it opens in every tab page that is entered and
--- remains until the tab page is closed.
local api = vim.api
local maps = {} ---@type table<integer, integer> float by tab page

local function config()
  local height = math.max(1, vim.o.lines - vim.o.cmdheight - 2)
  return {
    relative = 'editor',
    anchor = 'NE',
    row = 1,
    col = vim.o.columns,
    width = 4,
    height = height,
    zindex = 10,
    style = 'minimal',
    focusable = false,
  }
end

local function open(tabpage)
  local bufnr = api.nvim_create_buf(false, true)
  vim.bo[bufnr].bufhidden = 'hide'
  maps[tabpage] = api.nvim_open_win(bufnr, false, config())
  vim.wo[maps[tabpage]].winblend = 25
end

local function refresh()
  local tabpage = api.nvim_get_current_tabpage()
  local map = maps[tabpage]
  if map and api.nvim_win_is_valid(map) then
    api.nvim_win_set_config(map, config())
  else
    open(tabpage)
  end
end

api.nvim_create_autocmd({ 'TabEnter', 'BufEnter', 'VimResized', 'TextChanged' }, {
  callback = vim.schedule_wrap(refresh),
})
api.nvim_create_autocmd('User', { pattern = 'VeryLazy', callback = vim.schedule_wrap(refresh) })
