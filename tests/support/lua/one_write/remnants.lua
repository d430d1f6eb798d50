local found = { handles = {}, handlers = vim.tbl_keys(vim.diagnostic.handlers), options = {} }
vim.uv.walk(function(handle)
  local type = handle:get_type()
  if not handle:is_closing() then
    found.handles[type] = (found.handles[type] or 0) + 1
  end
end)
for _, one in ipairs(vim.api.nvim_get_autocmds({})) do
  local key = ('%s %s %s'):format(one.group_name or '', one.event, one.pattern)
  found.options[key] = (found.options[key] or 0) + 1
end
for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
  found.options[bufnr .. ' autoread'] =
    tostring(vim.api.nvim_get_option_value('autoread', { buf = bufnr, scope = 'local' }))
end
table.sort(found.handlers)
return found
