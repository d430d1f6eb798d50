--- Waiting until language servers and linters have said what they think of a buffer's new text.
local answer_time = require('claude_ide.answer_time')
local channel = require('claude_ide.channel')
local events = require('claude_ide.diagnostic_events')
local lsp_write = require('claude_ide.lsp_write')
local publish_version = require('claude_ide.publish_version')

local M = {}

-- Milliseconds.
local ATTENTION = 5000
local LATELY = 1500
local SETTLE = 30
local TICK = 10
-- An answer that comes much sooner than usual is about the text before, if that was asked about, too.
local EARLY = 0.4

---@class claude_ide.AwaitedPublish
---@field patience number milliseconds after the ask
---@field earliest number milliseconds after the ask
---@field client_id? integer nil for a linter
---@field is_outdated? boolean it has published, for an older version

--- What is expected of those that publish diagnostics for a buffer, since it took a new text.
---@class claude_ide.Ask
---@field bufnr integer
---@field time number
---@field version? integer of the text that the servers have
---@field clients table<integer, 'due'|'sent'> those that have the text: whether they were pulled
---@field awaited table<integer, claude_ide.AwaitedPublish> by namespace
---@field heard table<integer, true> namespaces

---@type table<integer, claude_ide.Ask>
local asks = {}
local last_publish = 0
local is_listening = false

---@type table<integer, true> clients whose start was waited for in vain
local slow_starters = {}
---@type table<integer, true> clients that name versions which they have not reached
local false_versions = {}

local function now()
  return vim.uv.hrtime() / 1e6
end

local function since(ask)
  return now() - ask.time
end

local function push_namespace(client_id)
  return vim.lsp.diagnostic.get_namespace(client_id, false)
end

-- Hover alone is what some assistants and bridges to linters have, too.
local function reads_code(client, bufnr)
  return client:supports_method('textDocument/definition', bufnr)
    or client:supports_method('textDocument/documentSymbol', bufnr)
end

local function is_outdated(ask, one)
  local version = publish_version.version()
  if version then
    return ask.version ~= nil and version < ask.version and not false_versions[one.client_id]
  end
  return since(ask) < one.earliest
end

local function on_published(bufnr, namespace)
  last_publish = now()
  local ask = asks[bufnr]
  if not namespace then
    return
  elseif not ask or ask.heard[namespace] or since(ask) > ATTENTION then
    return answer_time.spoke(namespace)
  end
  local one = ask.awaited[namespace]
  if one and is_outdated(ask, one) then
    one.is_outdated = true
    return
  end
  ask.heard[namespace], ask.awaited[namespace] = true, nil
  answer_time.answered(namespace, since(ask))
end

local function stop_listening()
  local is_open = vim.iter(pairs(asks)):any(function(_, ask)
    return since(ask) < ATTENTION
  end)
  if is_open then
    return vim.defer_fn(stop_listening, ATTENTION)
  end
  is_listening = false
  events.unsubscribe(on_published)
end

local function listen()
  if not is_listening then
    is_listening = true
    events.subscribe(on_published)
    vim.defer_fn(stop_listening, ATTENTION)
  end
end

local function await_namespace(ask, namespace, patience, client_id, earlier)
  if patience > 0 and not ask.heard[namespace] then
    local in_flight = earlier and earlier.awaited[namespace] and since(earlier) < LATELY
    local latency = in_flight and answer_time.latency(namespace) or 0
    ask.awaited[namespace] =
      { patience = patience, earliest = EARLY * latency, client_id = client_id }
  end
end

-- Clients that are pulled seldom publish as well.
local function await_client(ask, client, earlier)
  local namespace = push_namespace(client.id)
  local is_pulled = lsp_write.is_pulled(client, ask.bufnr)
  ask.clients[client.id] = is_pulled and 'due' or 'sent'
  publish_version.read(client, ATTENTION)
  if not is_pulled or answer_time.latency(namespace) then
    local is_reader = not is_pulled and reads_code(client, ask.bufnr)
    local patience = answer_time.of_server(namespace, is_reader)
    await_namespace(ask, namespace, patience, client.id, earlier)
  end
end

local function is_of_server(namespace)
  return vim.diagnostic.get_namespace(namespace).name:find('^n?vim%.lsp%.') ~= nil
end

local function await_linters(ask, earlier)
  for _, namespace in ipairs(events.namespaces(ask.bufnr)) do
    if not is_of_server(namespace) then
      await_namespace(ask, namespace, answer_time.of_linter(namespace), nil, earlier)
    end
  end
end

-- After Neovim has had its turn: it pulls by itself for buffers that it deems in view.
local function pull_soon(ask)
  vim.schedule(function()
    for id, state in pairs(ask.clients) do
      local client = state == 'due' and vim.lsp.get_client_by_id(id)
      ask.clients[id] = 'sent'
      if client and vim.lsp.buf_is_attached(ask.bufnr, id) then
        if not lsp_write.is_pulling(client, ask.bufnr) then
          lsp_write.pull(client, ask.bufnr)
        end
      end
    end
  end)
end

--- A loaded buffer has just taken what is on disk: its servers hear of it at once, and what they
--- answer is listened for from now on.
---@param bufnr integer
function M.ask(bufnr)
  local earlier = asks[bufnr]
  local version = vim.lsp.util.buf_versions
  local ask = {
    bufnr = bufnr,
    time = now(),
    version = version and version[bufnr],
    clients = {},
    awaited = {},
    heard = {},
  }
  asks[bufnr] = ask
  listen()
  for _, client in ipairs(vim.lsp.get_clients({ bufnr = bufnr })) do
    await_client(ask, client, earlier)
  end
  await_linters(ask, earlier)
  lsp_write.tell(bufnr)
  pull_soon(ask)
end

-- Clients that have started since; their servers were given the new text.
local function meet(ask)
  for _, client in ipairs(vim.lsp.get_clients({ bufnr = ask.bufnr })) do
    if not ask.clients[client.id] then
      await_client(ask, client)
      pull_soon(ask)
    end
  end
end

local function starting(bufnr)
  local clients = vim.lsp.get_clients({ bufnr = bufnr, _uninitialized = true })
  return vim.tbl_filter(function(client)
    return not client.initialized and not slow_starters[client.id]
  end, clients)
end

local function is_pull_open(ask)
  return vim.iter(pairs(ask.clients)):any(function(id, state)
    local client = vim.lsp.get_client_by_id(id)
    return client ~= nil
      and lsp_write.is_pulled(client, ask.bufnr)
      and (state == 'due' or lsp_write.is_pulling(client, ask.bufnr))
  end)
end

local function is_linting(bufnr)
  local ok, linters = pcall(require, 'claude_ide.linters')
  return ok and linters.is_running(bufnr)
end

local function is_gone(ask, one)
  return one.client_id ~= nil and not vim.lsp.buf_is_attached(ask.bufnr, one.client_id)
end

local function give_up(ask, namespace, is_awaited)
  local one = ask.awaited[namespace]
  ask.awaited[namespace] = nil
  if is_awaited then
    answer_time.missed(namespace)
    if one.is_outdated and one.client_id then
      false_versions[one.client_id] = true
    end
  end
end

local function is_publish_open(ask, is_awaited)
  for namespace, one in pairs(ask.awaited) do
    if is_gone(ask, one) then
      ask.awaited[namespace] = nil
    elseif since(ask) >= one.patience then
      give_up(ask, namespace, is_awaited)
    end
  end
  return next(ask.awaited) ~= nil
end

local function is_open(bufnr, is_awaited)
  local ask = asks[bufnr]
  if not ask or not vim.api.nvim_buf_is_loaded(bufnr) then
    asks[bufnr] = nil
    return false
  end
  meet(ask)
  return is_publish_open(ask, is_awaited)
    or is_pull_open(ask)
    or #starting(bufnr) > 0
    or is_linting(bufnr)
end

-- Nobody waits any longer.
local function blame(bufnr)
  local ask = asks[bufnr]
  if ask then
    for namespace in pairs(ask.awaited) do
      give_up(ask, namespace, true)
    end
    for _, client in ipairs(starting(bufnr)) do
      slow_starters[client.id] = true
    end
  end
end

--- Buffers that have taken a new text lately about which not all has been said.
---@return integer[] bufnrs
function M.unsettled()
  return vim.tbl_filter(function(bufnr)
    return since(asks[bufnr]) < LATELY and is_open(bufnr, false)
  end, vim.tbl_keys(asks))
end

-- A server that checks several files publishes one after the other.
local function is_settled(bufnrs)
  local open = vim.tbl_filter(function(bufnr)
    return is_open(bufnr, true)
  end, bufnrs)
  return #open == 0 and now() - last_publish >= SETTLE
end

--- Emit `diagnostics_published` with the `token` once all has been said about these buffers, each of
--- which is asked about now if it was not before, or else when time is up.
---@param token any
---@param bufnrs integer[]
---@param timeout_ms integer
function M.await(token, bufnrs, timeout_ms)
  for _, bufnr in ipairs(bufnrs) do
    if not asks[bufnr] and vim.api.nvim_buf_is_loaded(bufnr) then
      M.ask(bufnr)
    end
  end
  local timer, began, is_done = assert(vim.uv.new_timer()), now(), false
  local function check()
    local is_late = now() - began >= timeout_ms
    if is_done or not (is_settled(bufnrs) or is_late) then
      return
    end
    is_done = true
    timer:close()
    vim.iter(is_late and bufnrs or {}):each(blame)
    channel.emit('diagnostics_published', { token = token })
  end
  timer:start(TICK, TICK, vim.schedule_wrap(check))
  check()
end

return M
