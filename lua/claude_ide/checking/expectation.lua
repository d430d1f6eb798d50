--- The answers that are expected for a buffer's new text: from language servers that publish, servers that
--- are pulled, servers that are starting, and linters.
local answer_time = require('claude_ide.checking.answer_time')
local events = require('claude_ide.checking.events')
local linters = require('claude_ide.checking.linters')
local lsp_work = require('claude_ide.checking.lsp_work')
local lsp_write = require('claude_ide.checking.lsp_write')
local publish_version = require('claude_ide.checking.publish_version')

local M = {}

--- Milliseconds after a write during which a publish counts as an answer to it.
M.ATTENTION = 5000

-- Share of the usual time: an earlier answer belongs to the previous text, if that is not answered yet.
local EARLY = 0.4
-- Milliseconds.
local IN_FLIGHT = 1500

---@class claude_ide.AwaitedPublish
---@field patience number milliseconds after the write
---@field earliest number milliseconds after the write
---@field client_id? integer nil for a linter
---@field is_outdated? boolean whether it has published for an older version

---@alias claude_ide.ClientState
---| 'sent' it has the text, and publishes
---| 'due' it has the text, and must be pulled
---| 'pulled'
---| 'answered' the pull is answered

---@class claude_ide.Expectation
---@field bufnr integer
---@field time number of the write, in milliseconds
---@field version? integer of the text that the servers have
---@field clients table<integer, claude_ide.ClientState>
---@field dependents table<integer, integer[]> by client: other buffers for which it was pulled
---@field outdated table<integer, table<integer, true>> by client: earlier requests
---@field awaited table<integer, claude_ide.AwaitedPublish> by namespace
---@field answered table<integer, true> namespaces

---@type table<integer, true> clients that have not started in time
local slow_starters = {}
---@type table<integer, true> clients whose messages have wrong versions
local false_versions = {}
---@type table<integer, true> buffers whose linters have not ended in time
local slow_linting = {}

local function now()
  return vim.uv.hrtime() / 1e6
end

---@param expectation claude_ide.Expectation
---@return number milliseconds since the write
function M.age(expectation)
  return now() - expectation.time
end

-- Some assistants and bridges to linters support hover, so that is no indication.
local function reads_code(client, bufnr)
  return client:supports_method('textDocument/definition', bufnr)
    or client:supports_method('textDocument/documentSymbol', bufnr)
end

local function await_namespace(expectation, namespace, patience, client_id, earlier)
  if patience > 0 and not expectation.answered[namespace] then
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

-- Few pulled servers publish, too: only those that have done so after an earlier write are awaited.
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

-- Add clients that are new. A client may turn out to be pulled only after its server has started.
local function add_clients(expectation, earlier)
  local bufnr, clients = expectation.bufnr, expectation.clients
  for _, client in ipairs(lsp_write.clients({ bufnr = bufnr })) do
    local known = clients[client.id]
    if not known then
      publish_version.track(client, M.ATTENTION)
      lsp_work.track(client.id)
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

--- Pull the servers that are due, in the next tick: Neovim itself may pull them first, for buffers that it
--- considers visible.
---@param expectation claude_ide.Expectation
function M.pull_soon(expectation)
  if vim.tbl_contains(vim.tbl_values(expectation.clients), 'due') then
    vim.schedule(function()
      pull(expectation)
    end)
  end
end

--- Expect answers for a buffer that has just got a new text, before it is sent to the servers.
---@param bufnr integer loaded
---@param earlier? claude_ide.Expectation for the previous text
---@return claude_ide.Expectation
function M.new(bufnr, earlier)
  local versions = package.loaded['vim.lsp'] and vim.lsp.util.buf_versions
  local expectation = {
    bufnr = bufnr,
    time = now(),
    version = versions and versions[bufnr],
    clients = {},
    dependents = {},
    outdated = {},
    awaited = {},
    answered = {},
  }
  add_clients(expectation, earlier)
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

-- While the user has disabled diagnostics, it is unknown which linter has published.
local function stop_awaiting_linters(expectation)
  for namespace, one in pairs(expectation.awaited) do
    if not one.client_id then
      expectation.awaited[namespace] = nil
    end
  end
end

--- Record that diagnostics have been published for the buffer.
---@param expectation claude_ide.Expectation
---@param namespace? integer nil if it is unknown
function M.published(expectation, namespace)
  if not namespace then
    return stop_awaiting_linters(expectation)
  elseif expectation.answered[namespace] then
    return answer_time.published(namespace)
  end
  local one = expectation.awaited[namespace]
  if one and is_outdated(expectation, one) then
    one.is_outdated = true
    return
  end
  expectation.answered[namespace], expectation.awaited[namespace] = true, nil
  answer_time.answered(namespace, M.age(expectation))
end

local function give_up(expectation, namespace)
  local one = expectation.awaited[namespace]
  expectation.awaited[namespace] = nil
  answer_time.timed_out(namespace)
  if one.is_outdated and one.client_id then
    false_versions[one.client_id] = true
  end
end

local function is_gone(expectation, one)
  return one.client_id ~= nil and not vim.lsp.buf_is_attached(expectation.bufnr, one.client_id)
end

local function is_publish_pending(expectation)
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

local function is_client_pending(expectation, id, state)
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

local function is_pull_pending(expectation)
  local is_pending = false
  for id, state in pairs(expectation.clients) do
    is_pending = is_client_pending(expectation, id, state) or is_pending
  end
  return is_pending
end

local function is_work_pending(expectation)
  return vim.iter(pairs(expectation.clients)):any(function(id)
    return vim.lsp.buf_is_attached(expectation.bufnr, id) and lsp_work.is_pending(id)
  end)
end

local function starting(bufnr)
  local clients = lsp_write.clients({ bufnr = bufnr, _uninitialized = true })
  return vim.tbl_filter(function(client)
    return not client.initialized and not slow_starters[client.id]
  end, clients)
end

local function is_linting(bufnr)
  return not slow_linting[bufnr] and linters.is_running(bufnr)
end

--- Whether any answer is pending. Clients that have attached in the meantime are added first.
---@param expectation claude_ide.Expectation of a loaded buffer
---@return boolean
function M.is_pending(expectation)
  local bufnr = expectation.bufnr
  add_clients(expectation)
  M.pull_soon(expectation)
  local is_publishing, is_pulled = is_publish_pending(expectation), is_pull_pending(expectation)
  return is_publishing
    or is_pulled
    or is_work_pending(expectation)
    or #starting(bufnr) > 0
    or is_linting(bufnr)
end

--- Give up on pending answers; the next wait for them is shorter.
---@param expectation claude_ide.Expectation
function M.abandon(expectation)
  for namespace in pairs(expectation.awaited) do
    give_up(expectation, namespace)
  end
  for id, state in pairs(expectation.clients) do
    if is_client_pending(expectation, id, state) then
      answer_time.timed_out(pull_namespace(id))
    end
    lsp_work.abandon(id)
  end
  for _, client in ipairs(starting(expectation.bufnr)) do
    slow_starters[client.id] = true
  end
  slow_linting[expectation.bufnr] = is_linting(expectation.bufnr) or nil
end

return M
