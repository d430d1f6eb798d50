_G.seen = {}
for _, event in ipairs(vim.fn.getcompletion('', 'event')) do
  if event:find('^Buf[EA]') or event:find('Win') or event:find('^Tab') then
    pcall(vim.api.nvim_create_autocmd, event, {
      callback = function()
        table.insert(_G.seen, event)
      end,
    })
  end
end
