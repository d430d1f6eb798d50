-- Choose these items, one for each question; record the question, its items and the text below it.
local choices = ...
_G.asked = {}
vim.ui.select = function(items, options, done)
  local choice = table.remove(choices, 1)
  local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  table.insert(_G.asked, { options.prompt, items, lines })
  for index, item in ipairs(items) do
    if item:find(choice, 1, true) then
      return done(item, index)
    end
  end
  error(('no %s in %s'):format(choice, vim.inspect(items)))
end
