--- A tree of files in a split on the left with a fixed width that opens in every new tab page, as
--- nvim-tree with `tab.sync.open`.
local api = vim.api
local WIDTH = 24
local tree ---@type integer

local function buffer()
  if not (tree and api.nvim_buf_is_valid(tree)) then
    tree = api.nvim_create_buf(false, true)
    vim.bo[tree].buftype, vim.bo[tree].filetype = 'nofile', 'NvimTree'
    api.nvim_buf_set_name(tree, 'NvimTree_1')
    api.nvim_buf_set_lines(tree, 0, -1, false, vim.fn.readdir(vim.fn.getcwd()))
    vim.bo[tree].modifiable = false
  end
  return tree
end

local function is_shown()
  return vim.iter(api.nvim_tabpage_list_wins(0)):any(function(win)
    return api.nvim_win_get_buf(win) == tree
  end)
end

local function open()
  if is_shown() then
    return
  end
  local before = api.nvim_get_current_win()
  vim.cmd('topleft vertical split')
  local win = api.nvim_get_current_win()
  api.nvim_win_set_buf(win, buffer())
  vim.wo[win].winfixwidth, vim.wo[win].number, vim.wo[win].signcolumn = true, false, 'yes'
  api.nvim_win_set_width(win, WIDTH)
  api.nvim_set_current_win(before)
end

api.nvim_create_autocmd('TabEnter', { callback = vim.schedule_wrap(open) })
api.nvim_create_autocmd('User', { pattern = 'VeryLazy', callback = vim.schedule_wrap(open) })
