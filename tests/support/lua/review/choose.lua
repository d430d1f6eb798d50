-- Let the test's first argument answer each question of `vim.ui.select`, and record the questions.
local wanted = ...
_G.asked = {}
vim.ui.select = function(items, options, answer)
  table.insert(_G.asked, options.prompt)
  for index, item in ipairs(items) do
    if item == wanted then
      return answer(item, index)
    end
  end
  answer(nil, nil)
end
