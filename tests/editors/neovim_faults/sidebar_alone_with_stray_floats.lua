--- Neovim crashes without this plugin: a sidebar float is alone with its box, another float opens during
--- WinNew in a tab page that is not current, and the user types CTRL-W T.
---   nvim --clean -S sidebar_alone_with_stray_floats.lua
--- 0.11.4 crashes (SIGSEGV), 0.12.4 does not. With either of the two plugins alone, both survive.
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
