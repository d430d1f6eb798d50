local refuses = ...
local function is_refused()
  return vim.b.completion == refuses.completion
    or vim.b.minicompletion_disable == refuses.minicompletion_disable
    or refuses.cmp and refuses.cmp[vim.api.nvim_get_current_buf()]
end
if refuses.cmp then
  package.loaded['cmp'] = {
    setup = {
      buffer = function(options)
        refuses.cmp[vim.api.nvim_get_current_buf()] = options.enabled == false
      end,
    },
  }
end
vim.api.nvim_create_autocmd('TextChangedI', {
  callback = function()
    if not is_refused() then
      vim.fn.complete(1, { 'of another plugin' })
    end
  end,
})
