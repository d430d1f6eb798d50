local disk, path = require('claude_ide.file.disk'), ...
local write = disk.write
disk.write = function(bufnr)
  vim.fn.writefile({ 'new  ' }, path)
  return write(bufnr)
end
