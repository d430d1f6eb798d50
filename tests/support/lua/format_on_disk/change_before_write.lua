local disk, path = require('claude_ide.file.write'), ...
local write = disk.write
disk.write = function(bufnr)
  vim.fn.writefile({ 'new  ' }, path)
  return write(bufnr)
end
