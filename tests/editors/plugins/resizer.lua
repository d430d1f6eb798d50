--- Gives the current window the most room, as focus.nvim does.
local GOLDEN = 1.618

vim.api.nvim_create_autocmd('WinEnter', {
  callback = function()
    if vim.api.nvim_win_get_config(0).relative ~= '' or vim.wo.winfixwidth then
      return
    end
    local width = math.floor(vim.o.columns / GOLDEN)
    local height = math.floor(vim.o.lines / GOLDEN)
    if vim.fn.winwidth(0) < width then
      vim.cmd('vertical resize ' .. width)
    end
    if vim.fn.winheight(0) < height then
      vim.cmd('resize ' .. height)
    end
  end,
})
