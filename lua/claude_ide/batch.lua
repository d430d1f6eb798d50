--- Runs several calls of the host in one instant: as soon as a gate of `timing/moment` is open, and only if
--- all facts hold on which the host has based them (`editor/port/batch.py`).
local channel = require('claude_ide.channel')
local disk = require('claude_ide.file.disk')
local file = require('claude_ide.file.path')
local moment = require('claude_ide.timing.moment')
local reason = require('claude_ide.messages.reason')

local M = {}

local api = vim.api

---@alias claude_ide.Fact { [1]: string, [2]: integer|string, [3]: any } kind, buffer or path, expected value
---@alias claude_ide.Step { [1]: string, [2]: any[] } `module.function`, arguments

---@class claude_ide.WaitingBatch
---@field facts claude_ide.Fact[]
---@field steps claude_ide.Step[]
---@field cancel? fun()

local waiting = {} ---@type table<integer, claude_ide.WaitingBatch> by token

-- The present value of each kind of fact; nil if there is no such buffer.
---@type table<string, fun(subject: any): any>
local VALUES = {
  changedtick = function(bufnr)
    return api.nvim_buf_is_loaded(bufnr) and api.nvim_buf_get_changedtick(bufnr) or nil
  end,
  modified = function(bufnr)
    if api.nvim_buf_is_valid(bufnr) then
      return vim.bo[bufnr].modified
    end
  end,
  name = function(bufnr)
    return api.nvim_buf_is_valid(bufnr) and api.nvim_buf_get_name(bufnr) or nil
  end,
  stamp = disk.stamp,
  target = file.real,
}

-- The facts that do not hold: each index, from 0, with the present value.
---@param facts claude_ide.Fact[]
local function failed(facts)
  local found = {}
  for index, fact in ipairs(facts) do
    local kind, subject, expected = unpack(fact)
    local value = VALUES[kind](subject)
    if value ~= expected then
      found[#found + 1] = { index - 1, value == nil and vim.NIL or value }
    end
  end
  return found
end

---@param steps claude_ide.Step[]
---@return table outcome
local function run(steps)
  local results = {}
  for index, step in ipairs(steps) do
    local module, name = step[1]:match('^(.-)%.?([^.]*)$')
    local ok, result = unpack(reason.attempt(module, name, unpack(step[2])))
    local failure = not ok and result or type(result) == 'table' and result.error
    if type(failure) == 'string' then
      return { results = results, failure = failure }
    end
    results[index] = result == nil and vim.NIL or result
  end
  return { results = results }
end

local function try(token)
  local batch = waiting[token]
  if not batch then
    return
  end
  waiting[token] = nil
  local ok, outcome = pcall(function()
    local changes = failed(batch.facts)
    return #changes > 0 and { failed = changes } or run(batch.steps)
  end)
  outcome = ok and outcome or { results = {}, failure = reason.of(outcome) }
  outcome.token = token
  channel.emit('answered', outcome)
end

--- Wait until a gate is open, check the facts, and run the steps. Emits `answered` {token}; with
--- - `failed`: facts do not hold; nothing was done
--- - `results` of the steps
--- - `failure`: the step after those with results has failed
---@param token integer
---@param gate string of `timing/moment`
---@param facts claude_ide.Fact[]
---@param steps claude_ide.Step[]
function M.run(token, gate, facts, steps)
  local batch = { facts = facts, steps = steps } ---@type claude_ide.WaitingBatch
  waiting[token] = batch
  local function open()
    try(token)
  end
  local bufnrs = vim.iter(facts):map(function(fact)
    return type(fact[2]) == 'number' and fact[2] or nil
  end)
  batch.cancel = moment['when_' .. gate](open, error, bufnrs:totable())
end

--- Give up a batch that still waits.
---@param token integer
function M.withdraw(token)
  local batch = waiting[token]
  waiting[token] = nil
  if batch and batch.cancel then
    batch.cancel()
  end
end

--- Give up all batches: the host has ended.
function M.withdraw_all()
  for token in pairs(waiting) do
    M.withdraw(token)
  end
end

return M
