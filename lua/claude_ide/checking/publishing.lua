--- Waiting until language servers and linters have said what they think of a buffer's new text.
local answer_time = require('claude_ide.checking.answer_time')
local channel = require('claude_ide.channel')
local events = require('claude_ide.checking.events')
local expectation = require('claude_ide.checking.expectation')
local lsp_work = require('claude_ide.checking.lsp_work')
local lsp_write = require('claude_ide.checking.lsp_write')

local M = {}

-- Milliseconds.
local LATELY = 1500
local SETTLE = 30
local TICK = 10

---@type table<integer, claude_ide.Expectation> by buffer
local expected = {}
local last_publish = 0
local is_listening = false

local function now()
  return vim.uv.hrtime() / 1e6
end

local function on_published(bufnr, namespace)
  last_publish = now()
  if namespace then
    lsp_work.published(namespace)
  end
  local one = expected[bufnr]
  if one and expectation.age(one) < expectation.ATTENTION then
    expectation.published(one, namespace)
  elseif namespace then
    answer_time.spoke(namespace)
  end
end

local function stop_listening()
  for _, one in pairs(expected) do
    if expectation.age(one) < expectation.ATTENTION then
      return vim.defer_fn(stop_listening, expectation.ATTENTION)
    end
  end
  is_listening = false
  events.unsubscribe(on_published)
end

local function listen()
  if not is_listening then
    is_listening = true
    events.subscribe(on_published)
    vim.defer_fn(stop_listening, expectation.ATTENTION)
  end
end

--- A loaded buffer has just taken what is on disk: its servers hear of it at once, and their
--- answers are awaited from now on.
---@param bufnr integer
function M.expect(bufnr)
  listen()
  expected[bufnr] = expectation.new(bufnr, expected[bufnr])
  lsp_write.report(bufnr)
  expectation.pull_soon(expected[bufnr])
end

local function is_open(bufnr)
  local one = expected[bufnr]
  if one and not vim.api.nvim_buf_is_loaded(bufnr) then
    expected[bufnr] = nil
    return false
  end
  return one ~= nil and expectation.is_open(one)
end

--- Buffers that have taken a new text lately about which not all has been said.
---@return integer[] bufnrs
function M.unsettled()
  return vim.tbl_filter(function(bufnr)
    return expectation.age(expected[bufnr]) < LATELY and is_open(bufnr)
  end, vim.tbl_keys(expected))
end

local function abandon(bufnr)
  if expected[bufnr] and vim.api.nvim_buf_is_loaded(bufnr) then
    expectation.abandon(expected[bufnr])
  end
end

--- Emit `diagnostics_published` with the `token` once all has been said about these buffers, each of
--- which is asked about now if it was not before, or else when time is up.
---@param token any
---@param bufnrs integer[]
---@param timeout_ms integer
function M.await(token, bufnrs, timeout_ms)
  for _, bufnr in ipairs(bufnrs) do
    if not expected[bufnr] and vim.api.nvim_buf_is_loaded(bufnr) then
      M.expect(bufnr)
    end
  end
  local timer, deadline = assert(vim.uv.new_timer()), now() + timeout_ms
  local function check()
    if timer:is_closing() then
      return
    end
    -- What has been answered may be open again: a server that has published goes on to check.
    local open = vim.tbl_filter(is_open, bufnrs)
    local is_late = now() >= deadline
    -- A server that checks several files publishes one after the other.
    if is_late or (#open == 0 and now() - last_publish >= SETTLE) then
      timer:close()
      vim.iter(open):each(abandon)
      channel.emit('diagnostics_published', { token = token })
    end
  end
  timer:start(TICK, TICK, vim.schedule_wrap(check))
  check()
end

return M
