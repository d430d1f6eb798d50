-- Buffers are added to the watch slowly, in many slices.
local realpath = vim.uv.fs_realpath
vim.uv.fs_realpath = function(...)
  vim.uv.sleep(2)
  return realpath(...)
end
