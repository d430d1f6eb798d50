local snippet = ...
local problem
for _, form in ipairs({ '%s', 'return %s', 'return { %s }' }) do
  local code = form:gsub('%%s', function()
    return snippet
  end)
  local compiled, why = loadstring(code)
  if compiled then
    return nil
  end
  problem = problem or why
end
return problem
