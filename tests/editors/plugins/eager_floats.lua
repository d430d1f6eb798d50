--- Opens floats during autocommands for new windows, buffers and tab pages, before the code that
--- triggered them continues. Hover and signature windows do this.
local api = vim.api
local is_opening = false
local float ---@type integer?

local function open()
  if is_opening then
    return
  end
  is_opening = true
  if float and api.nvim_win_is_valid(float) then
    pcall(api.nvim_win_close, float, true)
  end
  local bufnr = api.nvim_create_buf(false, true)
  vim.bo[bufnr].bufhidden = 'wipe'
  local ok, win = pcall(api.nvim_open_win, bufnr, false, {
    relative = 'editor',
    row = 2,
    col = 2,
    width = 8,
    height = 1,
    style = 'minimal',
    focusable = false,
  })
  float = ok and win or nil
  is_opening = false
end

api.nvim_create_autocmd({ 'WinNew', 'BufEnter', 'WinEnter', 'TabEnter', 'TabNewEntered' }, {
  callback = open,
})
