local path, texts = ...
for _, lines in ipairs(texts) do
  vim.fn.writefile(lines, path)
  assert(#require('claude_ide.disk_changes.reload').sync() == 1)
end
