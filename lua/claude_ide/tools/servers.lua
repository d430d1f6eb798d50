--- Asks the language servers of a buffer, also those that are starting or do not know the file yet.
local private_api = require('claude_ide.private_api')
local readiness = require('claude_ide.tools.readiness')
local reason = require('claude_ide.say.reason')
local request = require('claude_ide.tools.request')

local M = {}

local api = vim.api

-- Milliseconds, after an empty answer about a file that a server may not have read yet.
local PAUSES = { 100, 200, 400, 800, 1500 }
-- ServerCancelled and ContentModified: the server asks for another attempt.
local TRANSIENT = { [-32802] = true, [-32801] = true }

---@class claude_ide.ServerAnswer
---@field client vim.lsp.Client
---@field result any never nil

---@class claude_ide.Asked
---@field asked string names of the servers
---@field working? string servers that report work, such as indexing, with its title

---@alias claude_ide.ServerAnswers claude_ide.ServerAnswer[]|{ error: string }
---@alias claude_ide.OnServerAnswers fun(answers: claude_ide.ServerAnswers, asked?: claude_ide.Asked)

local function filetypes(client)
  local types = {}
  for bufnr in pairs(client.attached_buffers) do
    if api.nvim_buf_is_valid(bufnr) and vim.bo[bufnr].filetype ~= '' then
      types[vim.bo[bufnr].filetype] = true
    end
  end
  local names = vim.tbl_keys(types)
  table.sort(names)
  return names
end

-- The servers that run, and the filetypes of their buffers.
local function running()
  local names = vim.tbl_map(function(client)
    local facts = filetypes(client)
    if not client.initialized then
      facts[#facts + 1] = 'still starting'
    end
    local listed = table.concat(facts, ', ')
    return listed == '' and client.name or ('%s (%s)'):format(client.name, listed)
  end, vim.list_extend(vim.lsp.get_clients(), private_api.starting()))
  table.sort(names)
  return #names > 0 and 'running: ' .. table.concat(names, ', ') or 'none is running'
end

-- A server without both, such as one for linters or completion, answers few questions.
local function reads_code(client, bufnr)
  return client:supports_method('textDocument/definition', bufnr)
    or client:supports_method('textDocument/documentSymbol', bufnr)
end

local function names_of(clients)
  local names = vim.tbl_map(function(client)
    return client.name
  end, clients)
  table.sort(names)
  return table.concat(names, ', ')
end

local function subject(bufnr, method)
  local name = bufnr and vim.fs.basename(api.nvim_buf_get_name(bufnr))
  return name and ('%s for %s'):format(method, name) or method
end

local function unserved(bufnr, method)
  return ('no language server answers %s; %s'):format(subject(bufnr, method), running())
end

-- What linters and formatters know as well.
local ANY_SERVER = { ['textDocument/codeAction'] = true }

-- Only such servers have answered, all with nothing, which means little.
local function unread(bufnr, method, clients)
  return ('no language server that reads code answers %s: %s knows nothing; %s'):format(
    subject(bufnr, method),
    names_of(clients),
    running()
  )
end

local function is_filled(result)
  return result ~= nil and result ~= vim.NIL and (type(result) ~= 'table' or next(result) ~= nil)
end

---@class claude_ide.Attempt
---@field answers claude_ide.ServerAnswer[]
---@field failures string[]
---@field is_transient boolean whether a server asks for another attempt

-- Ask these servers at once.
---@param has_content fun(result: any): boolean
---@param done fun(attempt: claude_ide.Attempt)
---@return fun() cancel
local function ask_once(clients, bufnr, method, parameters, has_content, done)
  local attempt, open, cancels = { answers = {}, failures = {}, is_transient = false }, #clients, {}
  local function settle(client, failure, result, code)
    open = open - 1
    if failure then
      attempt.failures[#attempt.failures + 1] = ('%s: %s'):format(client.name, failure)
      attempt.is_transient = attempt.is_transient or TRANSIENT[code] == true
    elseif is_filled(result) then
      local ok, is_wanted = pcall(has_content, result)
      if not ok then
        attempt.failures[#attempt.failures + 1] = client.name .. ': an answer of an unknown form'
      elseif is_wanted then
        attempt.answers[#attempt.answers + 1] = { client = client, result = result }
      end
    end
    if open == 0 then
      -- In the order in which Neovim itself asks them.
      table.sort(attempt.answers, function(a, b)
        return a.client.id < b.client.id
      end)
      done(attempt)
    end
  end
  for _, client in ipairs(clients) do
    local ok, wanted = pcall(parameters, client)
    if ok then
      cancels[#cancels + 1] = request.send(client, bufnr, method, wanted, function(...)
        settle(client, ...)
      end)
    else
      settle(client, reason.of(wanted))
    end
  end
  return function()
    vim.iter(cancels):each(function(cancel)
      cancel()
    end)
  end
end

local function finished(attempt, clients, bufnr, method)
  for _, client in ipairs(bufnr and clients or {}) do
    readiness.warm_up(client, bufnr)
  end
  if #attempt.answers == 0 then
    if #attempt.failures > 0 then
      return { error = table.concat(attempt.failures, '; ') }
    elseif
      bufnr
      and not ANY_SERVER[method]
      and not vim.iter(clients):any(function(client)
        return reads_code(client, bufnr)
      end)
    then
      return { error = unread(bufnr, method, clients) }
    end
  end
  return attempt.answers, { asked = names_of(clients), working = readiness.work(clients) }
end

--- Ask each server of a buffer that knows a method; without a buffer, each server.
---@param bufnr? integer
---@param method string
---@param parameters fun(client: vim.lsp.Client): table
---@param answer claude_ide.OnServerAnswers gets the answers that are not empty
---@param has_content? fun(result: any): boolean whether a result that is no empty table has any content
---@return fun() cancel
function M.ask(bufnr, method, parameters, answer, has_content)
  local cancel, is_cancelled ---@type fun()?, boolean?
  local attempts = 0
  local start ---@type fun()
  local function try()
    if is_cancelled then
      return
    elseif bufnr and not api.nvim_buf_is_loaded(bufnr) then
      return answer({ error = 'the file was closed while its language servers were asked' })
    end
    local clients = readiness.able(bufnr, method)
    if #clients == 0 then
      return answer({ error = unserved(bufnr, method) })
    end
    local wanted = has_content or is_filled
    local function done(attempt)
      attempts = attempts + 1
      local is_cold = #attempt.failures == 0 and readiness.is_cold(clients, bufnr)
      local is_early = (#attempt.answers == 0 and (is_cold or attempt.is_transient))
        or (is_cold and readiness.work(clients) ~= nil)
      if is_early and PAUSES[attempts] then
        vim.defer_fn(start, PAUSES[attempts])
      else
        answer(finished(attempt, clients, bufnr, method))
      end
    end
    readiness.when_settled(clients, bufnr, function()
      if not is_cancelled then
        cancel = ask_once(clients, bufnr, method, parameters, wanted, M.guarded(answer, done))
      end
    end, attempts > 0 and 0 or nil) -- from the second attempt on, it waits for announced work only
  end
  start = M.guarded(answer, function()
    readiness.when_started(bufnr, method, M.guarded(answer, try))
  end)
  start()
  return function()
    is_cancelled = true
    if cancel then
      cancel()
    end
  end
end

--- Wrap a callback of a server: an error, as from an answer of an unknown form, becomes the tool's answer.
---@param answer claude_ide.ToolAnswer
---@param fn function
---@return function
function M.guarded(answer, fn)
  return function(...)
    local ok, result = pcall(fn, ...)
    if not ok then
      answer({ error = 'a language server answered in an unknown form: ' .. reason.of(result) })
      return nil
    end
    return result
  end
end

--- Whether a namespace has diagnostics of a server. Some of its names end with what only the server knows.
---@param client vim.lsp.Client
---@param namespace integer
---@return boolean
function M.publishes_in(client, namespace)
  local name = vim.diagnostic.get_namespace(namespace).name .. '.'
  return name:find(('lsp.%s.%d.'):format(client.name, client.id), 1, true) ~= nil
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
