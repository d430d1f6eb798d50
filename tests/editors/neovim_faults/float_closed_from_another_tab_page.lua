--- Neovim crashes without this plugin: a float opens in another tab page, and its autocommand closes a
--- float that is on the screen. The code that draws the screen keeps a pointer to the closed float.
---   nvim --clean -S float_closed_from_another_tab_page.lua
--- 0.11.4 and 0.12.4 crash (SIGABRT or SIGSEGV) within a few rounds. They survive if the new float is
--- opened with `noautocmd`, and with --headless, where nothing is drawn.
local api = vim.api

local function float(config)
  config = vim.tbl_extend('force', { row = 1, col = 1, width = 8, height = 1 }, config)
  return api.nvim_open_win(api.nvim_create_buf(false, true), false, config)
end

local function round()
  vim.cmd('silent! tabonly | silent! only')
  local first = api.nvim_get_current_win()
  vim.cmd.tabnew()
  local here = float({ relative = 'editor' })
  vim.cmd.redraw()
  api.nvim_create_autocmd('WinNew', {
    once = true,
    callback = function()
      api.nvim_win_close(here, true)
    end,
  })
  float({ relative = 'win', win = first })
  for _ = 1, 5 do
    float({ relative = 'editor' })
    vim.cmd.redraw()
  end
end

local rounds = 0
local function next_round()
  rounds = rounds + 1
  if rounds > 500 then
    vim.cmd('qall!')
  end
  round()
  vim.defer_fn(next_round, 1)
end
vim.schedule(next_round)
