-- Makes adding buffers to the watch slow, so that it needs many slices.
local realpath = vim.uv.fs_realpath
vim.uv.fs_realpath = function(...)
  vim.uv.sleep(2)
  return realpath(...)
end
