--- A label in the corner of every window of the current tab page, as in incline: a float that cannot
--- be focused, is opened without autocommands, and is updated after each change.
local api = vim.api
local labels = {} ---@type table<integer, integer> float by window
local is_due = false

local function text_of(win)
  local name = vim.fs.basename(api.nvim_buf_get_name(api.nvim_win_get_buf(win)))
  return name == '' and '[No Name]' or name
end

local function config_of(win, text)
  local row, column = unpack(api.nvim_win_get_position(win))
  local width = math.max(1, math.min(#text, api.nvim_win_get_width(win)))
  return {
    relative = 'editor',
    row = row,
    col = column + math.max(0, api.nvim_win_get_width(win) - width),
    width = width,
    height = 1,
    zindex = 50,
    style = 'minimal',
    focusable = false,
  }
end

local function show(win)
  local text = text_of(win)
  local config = config_of(win, text)
  local float = labels[win]
  if float and api.nvim_win_is_valid(float) then
    api.nvim_win_set_config(float, config)
  else
    local bufnr = api.nvim_create_buf(false, true)
    vim.bo[bufnr].bufhidden = 'wipe'
    config.noautocmd = true
    float = api.nvim_open_win(bufnr, false, config)
    labels[win] = float
  end
  api.nvim_buf_set_lines(api.nvim_win_get_buf(float), 0, -1, false, { text })
end

local function is_labelled(win)
  return api.nvim_win_get_config(win).relative == ''
end

local function refresh()
  is_due = false
  local wanted = {}
  for _, win in ipairs(vim.tbl_filter(is_labelled, api.nvim_tabpage_list_wins(0))) do
    wanted[win] = true
    show(win)
  end
  for win, float in pairs(labels) do
    if not wanted[win] then
      labels[win] = nil
      pcall(api.nvim_win_close, float, true)
    end
  end
end

local function request()
  if not is_due then
    is_due = true
    vim.schedule(refresh)
  end
end

api.nvim_create_autocmd(
  { 'WinEnter', 'WinNew', 'WinClosed', 'WinResized', 'BufWinEnter', 'BufEnter', 'TabEnter' },
  { callback = request }
)
api.nvim_create_autocmd('User', { pattern = 'VeryLazy', callback = request })
