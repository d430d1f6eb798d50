-- A language server inside Neovim, so that `make try` has diagnostics without installing one.
local SEVERITY = vim.lsp.protocol.DiagnosticSeverity

local RULES = {
  {
    pattern = '%S+ == None',
    severity = SEVERITY.Warning,
    code = 'E711',
    message = 'comparison to None; use `is`',
  },
  {
    pattern = '%f[%w]sum = ',
    severity = SEVERITY.Hint,
    code = 'A001',
    message = '`sum` hides a function of Python',
  },
}

-- 1: the whole text comes with every change.
local CAPABILITIES = { textDocumentSync = { openClose = true, change = 1 } }

local function look(text)
  local diagnostics = {}
  for row, line in ipairs(vim.split(text, '\n')) do
    for _, rule in ipairs(RULES) do
      local first, last = line:find(rule.pattern)
      if first then
        table.insert(diagnostics, {
          range = {
            start = { line = row - 1, character = first - 1 },
            ['end'] = { line = row - 1, character = last },
          },
          severity = rule.severity,
          code = rule.code,
          message = rule.message,
          source = 'linter',
        })
      end
    end
  end
  return diagnostics
end

--- The server's side of the connection, as `vim.lsp.start` wants it.
local function serve(dispatchers)
  local closing = false
  local function publish(uri, text)
    dispatchers.notification('textDocument/publishDiagnostics', {
      uri = uri,
      diagnostics = look(text),
    })
  end
  return {
    request = function(method, _, callback)
      callback(nil, method == 'initialize' and { capabilities = CAPABILITIES } or nil)
      return true, 1
    end,
    notify = function(method, params)
      if method == 'textDocument/didOpen' then
        publish(params.textDocument.uri, params.textDocument.text)
      elseif method == 'textDocument/didChange' then
        publish(params.textDocument.uri, params.contentChanges[1].text)
      end
      return true
    end,
    is_closing = function()
      return closing
    end,
    terminate = function()
      closing = true
    end,
  }
end

vim.lsp.config('linter', { cmd = serve, filetypes = { 'python' } })
vim.lsp.enable('linter')
vim.diagnostic.config({ virtual_text = { current_line = true } })
