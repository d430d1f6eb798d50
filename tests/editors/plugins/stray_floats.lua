--- Opens floats during autocommands in tab pages that are not current: a plugin that keeps a float for
--- each window updates all of them after any change.
local api = vim.api
local is_opening = false
local floats = {} ---@type table<integer, integer> by window

local function open(win)
  local bufnr = api.nvim_create_buf(false, true)
  vim.bo[bufnr].bufhidden = 'wipe'
  local ok, float = pcall(api.nvim_open_win, bufnr, false, {
    relative = 'win',
    win = win,
    row = 0,
    col = 1,
    width = 6,
    height = 1,
    style = 'minimal',
    focusable = false,
    -- Neovim would crash: see neovim_faults/float_closed_from_another_tab_page.lua.
    noautocmd = true,
  })
  floats[win] = ok and float or nil
end

local function refresh()
  if is_opening then
    return
  end
  is_opening = true
  for win, float in pairs(floats) do
    if not api.nvim_win_is_valid(win) then
      floats[win] = nil
      pcall(api.nvim_win_close, float, true)
    end
  end
  for _, win in ipairs(api.nvim_list_wins()) do
    local is_tiled = api.nvim_win_is_valid(win) and api.nvim_win_get_config(win).relative == ''
    if is_tiled and not (floats[win] and api.nvim_win_is_valid(floats[win])) then
      open(win)
    end
  end
  is_opening = false
end

-- Not for events in which a window, a buffer or a tab page is left or closed: Neovim itself would crash,
-- as neovim_faults/float_while_a_tab_page_closes.lua shows.
api.nvim_create_autocmd({ 'WinNew', 'TabNewEntered', 'CursorMoved' }, { callback = refresh })
