-- Return how many modules of ours are loaded, and how many lines they have.
local modules, lines = 0, 0
for name in pairs(package.loaded) do
  local path = name:gsub('%.', '/')
  local found = name:find('^claude_ide')
    and vim.api.nvim_get_runtime_file(('lua/%s.lua lua/%s/init.lua'):format(path, path), false)[1]
  if found then
    modules, lines = modules + 1, lines + #vim.fn.readfile(found)
  end
end
return { modules, lines }
