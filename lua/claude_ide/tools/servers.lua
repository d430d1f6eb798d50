--- Requests to the language servers of a buffer.
local format_server = require('claude_ide.format.server')
local time_limit = require('claude_ide.when.time_limit')

local M = {}

local api = vim.api

--- Milliseconds.
M.answers_within = 20000
M.attaches_within = 5000

---@class claude_ide.ServerAnswer
---@field client vim.lsp.Client
---@field result any never nil

-- The servers that run, and the filetypes of their buffers.
local function running()
  local names = vim.tbl_map(function(client)
    local types = {}
    for bufnr in pairs(client.attached_buffers) do
      if api.nvim_buf_is_valid(bufnr) and vim.bo[bufnr].filetype ~= '' then
        types[vim.bo[bufnr].filetype] = true
      end
    end
    local listed = table.concat(vim.tbl_keys(types), ', ')
    return listed == '' and client.name or ('%s (%s)'):format(client.name, listed)
  end, vim.lsp.get_clients())
  table.sort(names)
  return #names > 0 and 'running: ' .. table.concat(names, ', ') or 'none is running'
end

local function unserved(bufnr, method)
  local name = vim.fs.basename(api.nvim_buf_get_name(bufnr))
  return ('no language server answers %s for %s; %s'):format(method, name, running())
end

-- Wait for a server that is starting: `done` gets the clients, which may be none.
local function when_attached(bufnr, method, done)
  local function clients()
    return vim.lsp.get_clients({ bufnr = bufnr, method = method })
  end
  local known = clients()
  if #known > 0 or not format_server.is_starting(bufnr) then
    return done(known)
  end
  local autocmd ---@type integer
  local answer = time_limit.new(M.attaches_within, function(found)
    pcall(api.nvim_del_autocmd, autocmd)
    done(found)
  end, clients)
  autocmd = api.nvim_create_autocmd('LspAttach', {
    buffer = bufnr,
    callback = vim.schedule_wrap(function()
      if #clients() > 0 or not format_server.is_starting(bufnr) then
        answer(clients())
      end
    end),
  })
end

local function is_empty(result)
  return result == nil or result == vim.NIL or (type(result) == 'table' and next(result) == nil)
end

local function send(clients, bufnr, method, parameters, answer)
  local answers, errors, open, requests = {}, {}, #clients, {}
  local function finish()
    if #answers == 0 and #errors > 0 then
      return answer({ error = table.concat(errors, '; ') })
    end
    answer(answers)
  end
  local limited = time_limit.new(M.answers_within, finish, function()
    for client, id in pairs(requests) do
      errors[#errors + 1] = ('%s: no answer within %g s'):format(
        client.name,
        M.answers_within / 1000
      )
      client:cancel_request(id)
    end
    return ''
  end)
  local function settle(client, err, result)
    requests[client], open = nil, open - 1
    if err then
      errors[#errors + 1] = ('%s: %s'):format(client.name, err)
    elseif not is_empty(result) then
      answers[#answers + 1] = { client = client, result = result }
    end
    if open == 0 then
      limited()
    end
  end
  for _, client in ipairs(clients) do
    local ok, sent, id = pcall(
      client.request,
      client,
      method,
      parameters(client),
      function(err, result)
        settle(client, err and err.message, result)
      end,
      bufnr
    )
    if ok and sent then
      requests[client] = id
    else
      settle(client, ok and 'it is shutting down' or tostring(sent))
    end
  end
  return function()
    for client, id in pairs(requests) do
      client:cancel_request(id)
    end
  end
end

--- Ask each server of a buffer that knows a method.
---@param bufnr integer
---@param method string
---@param parameters fun(client: vim.lsp.Client): table
---@param answer fun(answers: claude_ide.ServerAnswer[]|{ error: string }) those that are not empty
---@return fun() cancel
function M.ask(bufnr, method, parameters, answer)
  local cancel, is_cancelled
  when_attached(bufnr, method, function(clients)
    if is_cancelled then
      return
    elseif #clients == 0 then
      return answer({ error = unserved(bufnr, method) })
    end
    cancel = send(clients, bufnr, method, parameters, answer)
  end)
  return function()
    is_cancelled = true
    if cancel then
      cancel()
    end
  end
end

--- The parameters of a request about a position, in the server's encoding.
---@param client vim.lsp.Client
---@param bufnr integer
---@param row integer 0-based
---@param col integer bytes, 0-based
---@return lsp.TextDocumentPositionParams
function M.at(client, bufnr, row, col)
  local text = api.nvim_buf_get_lines(bufnr, row, row + 1, true)[1]
  local character = vim.str_utfindex(text, client.offset_encoding, col, false)
  return {
    textDocument = vim.lsp.util.make_text_document_params(bufnr),
    position = { line = row, character = character },
  }
end

return M
