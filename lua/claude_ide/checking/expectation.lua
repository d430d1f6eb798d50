--- Who is expected to say what it thinks of a buffer's new text: language servers that publish,
--- servers that are pulled, servers that are starting, linters.
local answer_time = require('claude_ide.checking.answer_time')
local events = require('claude_ide.checking.events')
local linters = require('claude_ide.checking.linters')
local lsp_work = require('claude_ide.checking.lsp_work')
local lsp_write = require('claude_ide.checking.lsp_write')
local publish_version = require('claude_ide.checking.publish_version')

local M = {}

--- For how many milliseconds after a write what is published counts as an answer to it.
M.ATTENTION = 5000

-- An answer that comes much sooner than usual is about the text before, if that was not answered.
local EARLY = 0.4
local IN_FLIGHT = 1500

---@class claude_ide.AwaitedPublish
---@field patience number milliseconds after the write
---@field earliest number milliseconds after the write
---@field client_id? integer nil for a linter
---@field is_outdated? boolean it has published, for an older version

---@class claude_ide.Expectation
---@field bufnr integer
---@field time number
---@field version? integer of the text that the servers have
---@field clients table<integer, 'sent'|'due'|'pulled'|'answered'> that have the text; last three: pulled ones
---@field dependents table<integer, integer[]> by client: other buffers for which it was pulled
---@field outdated table<integer, table<integer, true>> by client: requests made before
---@field awaited table<integer, claude_ide.AwaitedPublish> by namespace
---@field heard table<integer, true> namespaces

---@type table<integer, true> clients whose start was waited for in vain
local slow_starters = {}
---@type table<integer, true> clients that name versions which they have not reached
local false_versions = {}
---@type table<integer, true> buffers whose linters were waited for in vain
local slow_linting = {}

local function now()
  return vim.uv.hrtime() / 1e6
end

---@param expectation claude_ide.Expectation
---@return number milliseconds since the write
function M.age(expectation)
  return now() - expectation.time
end

-- Hover alone is what some assistants and bridges to linters have, too.
local function reads_code(client, bufnr)
  return client:supports_method('textDocument/definition', bufnr)
    or client:supports_method('textDocument/documentSymbol', bufnr)
end

local function await_namespace(expectation, namespace, patience, client_id, earlier)
  if patience > 0 and not expectation.heard[namespace] then
    local is_in_flight = earlier and earlier.awaited[namespace] and M.age(earlier) < IN_FLIGHT
    local latency = is_in_flight and answer_time.latency(namespace) or 0
    expectation.awaited[namespace] =
      { patience = patience, earliest = EARLY * latency, client_id = client_id }
  end
end

local function await_push(expectation, client, earlier)
  local namespace = vim.lsp.diagnostic.get_namespace(client.id, false)
  local patience = answer_time.of_server(namespace, reads_code(client, expectation.bufnr))
  expectation.clients[client.id] = 'sent'
  await_namespace(expectation, namespace, patience, client.id, earlier)
end

-- Few servers that are pulled publish as well: those that have done so after a write.
local function await_pull(expectation, client, earlier)
  local namespace = vim.lsp.diagnostic.get_namespace(client.id, false)
  expectation.clients[client.id] = 'due'
  expectation.outdated[client.id] = lsp_write.pulls(client, expectation.bufnr)
  expectation.awaited[namespace] = nil
  if answer_time.latency(namespace) then
    local patience = answer_time.of_server(namespace, false)
    await_namespace(expectation, namespace, patience, client.id, earlier)
  end
end

-- A client may come to be one that is pulled only after its server has started.
local function meet(expectation, earlier)
  local bufnr, clients = expectation.bufnr, expectation.clients
  for _, client in ipairs(vim.lsp.get_clients({ bufnr = bufnr })) do
    local known = clients[client.id]
    if not known then
      publish_version.read(client, M.ATTENTION)
      lsp_work.ask(client.id)
    end
    if (not known or known == 'sent') and lsp_write.is_pulled(client, bufnr) then
      await_pull(expectation, client, earlier)
    elseif not known then
      await_push(expectation, client, earlier)
    end
  end
end

local function is_of_server(namespace)
  return vim.diagnostic.get_namespace(namespace).name:find('^n?vim%.lsp%.') ~= nil
end

local function await_linters(expectation, earlier)
  for _, namespace in ipairs(events.namespaces(expectation.bufnr)) do
    if not is_of_server(namespace) then
      local patience = answer_time.of_linter(namespace)
      await_namespace(expectation, namespace, patience, nil, earlier)
    end
  end
end

local function is_pulling(expectation, client)
  local outdated = expectation.outdated[client.id]
  return vim.iter(pairs(lsp_write.pulls(client, expectation.bufnr))):any(function(id)
    return not outdated[id]
  end)
end

local function is_pulling_dependents(expectation, client)
  return vim.iter(expectation.dependents[client.id] or {}):any(function(bufnr)
    return next(lsp_write.pulls(client, bufnr)) ~= nil
  end)
end

local function pull_dependents(expectation, client)
  local bufnrs = lsp_write.dependents(client, expectation.bufnr)
  expectation.dependents[client.id] = bufnrs
  for _, bufnr in ipairs(bufnrs) do
    lsp_write.pull(client, bufnr)
  end
end

local function is_answer_due(expectation, client)
  return is_pulling(expectation, client) or is_pulling_dependents(expectation, client)
end

local function pull(expectation)
  for id, state in pairs(expectation.clients) do
    local client = vim.lsp.get_client_by_id(id)
    if state == 'due' and client and vim.lsp.buf_is_attached(expectation.bufnr, id) then
      expectation.clients[id] = 'pulled'
      if not is_pulling(expectation, client) then
        lsp_write.pull(client, expectation.bufnr)
      end
      pull_dependents(expectation, client)
    end
  end
end

--- Pull the servers that have to be asked, after Neovim has had its turn: for buffers that it deems in
--- view it pulls by itself.
---@param expectation claude_ide.Expectation
function M.pull_soon(expectation)
  if vim.tbl_contains(vim.tbl_values(expectation.clients), 'due') then
    vim.schedule(function()
      pull(expectation)
    end)
  end
end

--- What to expect after a buffer has just taken a new text, which its servers do not have yet.
---@param bufnr integer loaded
---@param earlier? claude_ide.Expectation of the text before
---@return claude_ide.Expectation
function M.new(bufnr, earlier)
  local versions = vim.lsp.util.buf_versions
  local expectation = {
    bufnr = bufnr,
    time = now(),
    version = versions and versions[bufnr],
    clients = {},
    dependents = {},
    outdated = {},
    awaited = {},
    heard = {},
  }
  meet(expectation, earlier)
  await_linters(expectation, earlier)
  return expectation
end

local function is_outdated(expectation, one)
  local version = publish_version.version()
  if version and expectation.version then
    return version < expectation.version and not false_versions[one.client_id]
  end
  return M.age(expectation) < one.earliest
end

-- While the user has disabled diagnostics it is not known which linter has published.
local function of_unknown(expectation)
  for namespace, one in pairs(expectation.awaited) do
    if not one.client_id then
      expectation.awaited[namespace] = nil
    end
  end
end

--- Somebody has published diagnostics for the buffer.
---@param expectation claude_ide.Expectation
---@param namespace? integer
function M.published(expectation, namespace)
  if not namespace then
    return of_unknown(expectation)
  elseif expectation.heard[namespace] then
    return answer_time.spoke(namespace)
  end
  local one = expectation.awaited[namespace]
  if one and is_outdated(expectation, one) then
    one.is_outdated = true
    return
  end
  expectation.heard[namespace], expectation.awaited[namespace] = true, nil
  answer_time.answered(namespace, M.age(expectation))
end

local function give_up(expectation, namespace)
  local one = expectation.awaited[namespace]
  expectation.awaited[namespace] = nil
  answer_time.missed(namespace)
  if one.is_outdated and one.client_id then
    false_versions[one.client_id] = true
  end
end

local function is_gone(expectation, one)
  return one.client_id ~= nil and not vim.lsp.buf_is_attached(expectation.bufnr, one.client_id)
end

local function is_publish_open(expectation)
  for namespace, one in pairs(expectation.awaited) do
    if is_gone(expectation, one) then
      expectation.awaited[namespace] = nil
    elseif M.age(expectation) >= one.patience then
      give_up(expectation, namespace)
    end
  end
  return next(expectation.awaited) ~= nil
end

local function pull_namespace(id)
  return vim.lsp.diagnostic.get_namespace(id, true)
end

local function is_client_open(expectation, id, state)
  local client = vim.lsp.get_client_by_id(id)
  if not client or not vim.lsp.buf_is_attached(expectation.bufnr, id) then
    return false
  elseif state == 'pulled' and not is_answer_due(expectation, client) then
    expectation.clients[id] = 'answered'
    answer_time.answered(pull_namespace(id), M.age(expectation))
    return false
  end
  local is_awaited = state == 'due' or state == 'pulled'
  return is_awaited and M.age(expectation) < answer_time.of_pulled(pull_namespace(id))
end

local function is_pull_open(expectation)
  local is_open = false
  for id, state in pairs(expectation.clients) do
    is_open = is_client_open(expectation, id, state) or is_open
  end
  return is_open
end

local function is_at_work(expectation)
  return vim.iter(pairs(expectation.clients)):any(function(id)
    return vim.lsp.buf_is_attached(expectation.bufnr, id) and lsp_work.is_open(id)
  end)
end

local function starting(bufnr)
  local clients = vim.lsp.get_clients({ bufnr = bufnr, _uninitialized = true })
  return vim.tbl_filter(function(client)
    return not client.initialized and not slow_starters[client.id]
  end, clients)
end

local function is_linting(bufnr)
  return not slow_linting[bufnr] and linters.is_running(bufnr)
end

--- Whether somebody has yet to say something.
---@param expectation claude_ide.Expectation of a loaded buffer
---@return boolean
function M.is_open(expectation)
  local bufnr = expectation.bufnr
  meet(expectation)
  M.pull_soon(expectation)
  local is_open = is_publish_open(expectation)
  is_open = is_pull_open(expectation) or is_open
  return is_open or is_at_work(expectation) or #starting(bufnr) > 0 or is_linting(bufnr)
end

--- Those that have not answered by now are waited for less the next time.
---@param expectation claude_ide.Expectation
function M.abandon(expectation)
  for namespace in pairs(expectation.awaited) do
    give_up(expectation, namespace)
  end
  for id, state in pairs(expectation.clients) do
    if is_client_open(expectation, id, state) then
      answer_time.missed(pull_namespace(id))
    end
    lsp_work.abandon(id)
  end
  for _, client in ipairs(starting(expectation.bufnr)) do
    slow_starters[client.id] = true
  end
  slow_linting[expectation.bufnr] = is_linting(expectation.bufnr) or nil
end

return M
