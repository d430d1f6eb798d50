-- What each key below <leader>a leads to, and its description.
local found = {}
for _, map in ipairs(vim.api.nvim_get_keymap(...)) do
  if vim.startswith(map.lhs, '\\a') then
    found[map.lhs:sub(2)] = { map.rhs, map.desc }
  end
end
return next(found) and found or vim.empty_dict()
