local name, command, stdin = ...
local lint = require('lint')
lint.linters[name] = { cmd = command, stdin = stdin }
lint.linters_by_ft.text = { name }
