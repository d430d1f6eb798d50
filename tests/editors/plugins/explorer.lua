--- A sidebar as a float over a tiled box of the same size, as the explorer of snacks: the float is
--- anchored to the box, follows its size, and takes the focus when the box gets it.
local api = vim.api
local box, float ---@type integer?, integer?

local function scratch(filetype)
  local bufnr = api.nvim_create_buf(false, true)
  vim.bo[bufnr].buftype, vim.bo[bufnr].filetype = 'nofile', filetype
  return bufnr
end

local function config()
  return {
    relative = 'win',
    win = box,
    row = 0,
    col = 0,
    width = api.nvim_win_get_width(box),
    height = api.nvim_win_get_height(box),
    style = 'minimal',
  }
end

local function open()
  box = api.nvim_open_win(scratch('snacks_layout_box'), false, {
    split = 'left',
    win = -1,
    width = 20,
  })
  vim.wo[box].winfixwidth, vim.wo[box].winfixbuf = true, true
  float = api.nvim_open_win(scratch('snacks_picker_list'), false, config())
end

api.nvim_create_autocmd('User', { pattern = 'VeryLazy', callback = vim.schedule_wrap(open) })
api.nvim_create_autocmd('WinResized', {
  callback = function()
    if box and float and api.nvim_win_is_valid(box) and api.nvim_win_is_valid(float) then
      api.nvim_win_set_config(float, config())
    end
  end,
})
api.nvim_create_autocmd('WinEnter', {
  callback = function()
    if api.nvim_get_current_win() == box and float and api.nvim_win_is_valid(float) then
      api.nvim_set_current_win(float)
    end
  end,
})
api.nvim_create_autocmd('WinClosed', {
  callback = function(event)
    local other = ({ [box or 0] = float, [float or 0] = box })[tonumber(event.match)]
    if other then
      box, float = nil, nil
      vim.schedule(function()
        pcall(api.nvim_win_close, other, true)
      end)
    end
  end,
})
