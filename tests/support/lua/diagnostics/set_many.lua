local bufnr, count, severity = ...
local function data(i)
  local related = {}
  for j = 1, 4 do
    local start, finish = { line = i, character = j }, { line = i, character = j + 1 }
    local location = { uri = 'file:///a', range = { start = start, ['end'] = finish } }
    related[j] = { message = 'see here', location = location }
  end
  return { rendered = 'name ' .. i, related = related }
end
local diagnostics = {}
for i = 1, count do
  local range = { start = { line = i, character = 3 }, ['end'] = { line = i, character = 8 } }
  diagnostics[i] = {
    lnum = i - 1,
    col = 3,
    end_lnum = i - 1,
    end_col = 8,
    severity = severity or (i % 4 + 1),
    message = 'name ' .. i .. ' is not defined',
    source = 'pyright',
    code = 'reportUndefined',
    user_data = { lsp = { range = range, message = 'x', data = data(i) } },
  }
end
vim.diagnostic.set(vim.api.nvim_create_namespace('many'), bufnr, diagnostics, {
  virtual_text = false,
  signs = false,
  underline = false,
})
