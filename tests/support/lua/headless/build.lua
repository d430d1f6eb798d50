local lines = {}
local build = coroutine.create(loadfile(...))
while coroutine.status(build) ~= 'dead' do
  local ok, line = coroutine.resume(build)
  if line then
    lines[#lines + 1] = (ok and '' or 'error: ') .. line
  end
  vim.wait(10)
end
return lines
