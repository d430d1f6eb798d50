-- A language server within Neovim, for answers that no real server gives. The answers by method are
-- `{ result = … }` or `{ error = … }`; with `sends`, the server first asks the client for these, and its
-- replies are in `vim.g.replies`.
local name, capabilities, answers, filetype, encoding = ...
-- Neovim decodes the null of a real server as nil.
answers = vim.json.decode(vim.json.encode(answers), { luanil = { object = true, array = true } })

local function start(dispatchers)
  local is_closing, number = false, 0
  local function reply(method, callback)
    local given = answers[method] or {}
    for _, sent in ipairs(given.sends or {}) do
      local result = dispatchers.server_request(sent.method, sent.params)
      local replies = vim.g.replies or {}
      table.insert(replies, result)
      vim.g.replies = replies
    end
    callback(given.error, given.result)
  end
  return {
    request = function(method, parameters, callback)
      number = number + 1
      local requests = vim.g.requests or {}
      table.insert(requests, { method = method, params = vim.json.encode(parameters) })
      vim.g.requests = requests
      vim.schedule(function()
        if method == 'initialize' then
          capabilities.positionEncoding = encoding
          callback(nil, { capabilities = capabilities })
        else
          reply(method, callback)
        end
      end)
      return true, number
    end,
    notify = function(method)
      is_closing = is_closing or method == 'exit'
      return true
    end,
    is_closing = function()
      return is_closing
    end,
    terminate = function()
      is_closing = true
    end,
  }
end

vim.lsp.config(name, { cmd = start, filetypes = { filetype } })
vim.lsp.enable(name)
