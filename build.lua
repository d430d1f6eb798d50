-- `:ClaudeInstall` for lazy.nvim, which runs this as a coroutine: it yields each step, and raises an
-- error if the installation fails.
local root = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h')
local refusal = dofile(root .. '/lua/claude_ide/requirement.lua').refusal()
if refusal then
  error(refusal, 0)
end

if not pcall(require, 'claude_ide.host.install') then
  vim.opt.runtimepath:prepend(root)
end

local install = require('claude_ide.host.install')
-- The user may have typed the command already.
while install.is_running() do
  coroutine.yield('waiting for :ClaudeInstall')
end

local latest, shown
local result ---@type { text: string, failed: boolean }?

install.begin(nil, function(line)
  latest = line
end, function(text, failed)
  result = { text = text, failed = failed }
end)

while not result do
  if latest == shown then
    coroutine.yield()
  else
    shown = latest
    coroutine.yield(vim.trim(shown))
  end
end
if result.failed then
  error(result.text, 0)
end
coroutine.yield(result.text)
