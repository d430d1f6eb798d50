--- Saves the session when Neovim exits and at intervals, as persistence and obsession do.
local file = vim.fn.stdpath('state') .. '/session.vim'

local function save()
  vim.cmd('silent! mksession! ' .. vim.fn.fnameescape(file))
end

vim.api.nvim_create_autocmd('VimLeavePre', { callback = save })
local timer = assert(vim.uv.new_timer())
timer:start(70, 70, vim.schedule_wrap(save))
