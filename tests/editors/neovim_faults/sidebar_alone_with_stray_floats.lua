--- Neovim dies without this plugin: a sidebar that is a float is alone with its box, a float comes in the
--- middle of WinNew into a tab page that the user is not in, and the user types CTRL-W T.
---   nvim --clean -S sidebar_alone_with_stray_floats.lua
--- 0.11.4 dies (SIGSEGV), 0.12.4 does not. With either of the two plugins alone both live.
local folder = vim.fs.dirname(vim.fs.dirname(vim.fs.abspath(debug.getinfo(1, 'S').source:sub(2))))

for _, name in ipairs({ 'explorer', 'stray_floats' }) do
  vim.cmd.luafile(folder .. '/plugins/' .. name .. '.lua')
end
vim.cmd.edit(vim.fn.tempname())
vim.cmd('doautocmd User VeryLazy')
vim.defer_fn(function()
  vim.api.nvim_input(':x<CR>')
  vim.defer_fn(function()
    vim.api.nvim_input('<C-w>T')
    vim.defer_fn(function()
      vim.cmd('qall!')
    end, 500)
  end, 300)
end, 300)
