--- Waits until language servers and linters have published diagnostics for a buffer's new text.
local answer_time = require('claude_ide.checking.answer_time')
local channel = require('claude_ide.channel')
local events = require('claude_ide.checking.events')
local expectation = require('claude_ide.checking.expectation')
local lsp_work = require('claude_ide.checking.lsp_work')
local lsp_write = require('claude_ide.checking.lsp_write')

local M = {}

-- Milliseconds.
local RECENT = 1500
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
    answer_time.published(namespace)
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

--- Notify the servers of a loaded buffer that it has just been updated from the disk, and expect their
--- answers.
---@param bufnr integer
function M.expect(bufnr)
  listen()
  expected[bufnr] = expectation.new(bufnr, expected[bufnr])
  lsp_write.report(bufnr)
  expectation.pull_soon(expected[bufnr])
end

local function is_pending(bufnr)
  local one = expected[bufnr]
  if one and not vim.api.nvim_buf_is_loaded(bufnr) then
    expected[bufnr] = nil
    return false
  end
  return one ~= nil and expectation.is_pending(one)
end

--- Buffers with a recent new text for which answers are pending.
---@return integer[] bufnrs
function M.unsettled()
  return vim.tbl_filter(function(bufnr)
    return expectation.age(expected[bufnr]) < RECENT and is_pending(bufnr)
  end, vim.tbl_keys(expected))
end

local function abandon(bufnr)
  if expected[bufnr] and vim.api.nvim_buf_is_loaded(bufnr) then
    expectation.abandon(expected[bufnr])
  end
end

--- Emit `diagnostics_published` with the `token` once no answers for these buffers are pending, or after
--- the timeout. Answers for a buffer are expected from now on if they were not before.
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
    -- All are checked each time: a server that has published may begin another check.
    local pending = vim.tbl_filter(is_pending, bufnrs)
    local is_late = now() >= deadline
    -- A server that checks several files publishes them one after another.
    if is_late or (#pending == 0 and now() - last_publish >= SETTLE) then
      timer:close()
      vim.iter(pending):each(abandon)
      channel.emit('diagnostics_published', { token = token })
    end
  end
  timer:start(TICK, TICK, vim.schedule_wrap(check))
  check()
end

return M
