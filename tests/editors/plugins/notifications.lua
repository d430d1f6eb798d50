--- Shows messages in floats at the top right that close after a while, as nvim-notify, mini.notify and
--- snacks do; `vim.notify` is replaced.
local api = vim.api
local LASTING = 120 -- milliseconds
local row = 0

local function close(float)
  row = math.max(0, row - 3)
  if api.nvim_win_is_valid(float) then
    api.nvim_win_close(float, true)
  end
end

local function show(text)
  local bufnr = api.nvim_create_buf(false, true)
  vim.bo[bufnr].bufhidden, vim.bo[bufnr].filetype = 'wipe', 'notify'
  local lines = vim.split(text, '\n', { plain = true })
  api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  local width = math.max(1, math.min(40, vim.o.columns - 4))
  local float = api.nvim_open_win(bufnr, false, {
    relative = 'editor',
    anchor = 'NE',
    row = row % math.max(1, vim.o.lines - 6),
    col = vim.o.columns,
    width = width,
    height = math.min(#lines, 5),
    border = 'rounded',
    style = 'minimal',
    zindex = 100,
  })
  vim.wo[float].wrap = true
  row = row + 3
  vim.defer_fn(function()
    close(float)
  end, LASTING)
end

vim.notify = function(text) ---@diagnostic disable-line: duplicate-set-field
  vim.schedule(function()
    show(text)
  end)
end
