local diagnostics = require('claude_ide.diagnostics')
local began, done = os.clock(), 0
for _ = 1, 100 do
  done = done + (diagnostics.read().done and 1 or 0)
end
return { (os.clock() - began) * 1000, done }
