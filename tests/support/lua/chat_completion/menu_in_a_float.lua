-- Draws the popup menu as noice.nvim does: in a float below the cursor.
local win

local function close()
  if win then
    vim.api.nvim_win_close(win, true)
    win = nil
  end
end

local function show(items)
  local lines = vim.tbl_map(function(item)
    return item[1]
  end, items)
  local bufnr = win and vim.api.nvim_win_get_buf(win) or vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  local config = { relative = 'cursor', row = 1, col = 0, width = 30, style = 'minimal' }
  config.height = math.min(#lines, 20)
  if win then
    vim.api.nvim_win_set_config(win, config)
  else
    win = vim.api.nvim_open_win(bufnr, false, config)
  end
end

local namespace = vim.api.nvim_create_namespace('menu_in_a_float')
vim.ui_attach(namespace, { ext_popupmenu = true }, function(event, items)
  if event == 'popupmenu_show' then
    vim.schedule(function()
      show(items)
    end)
  elseif event == 'popupmenu_hide' then
    vim.schedule(close)
  end
end)
