--- Processes many values in slices, so that Neovim can handle keys between them.
local M = {}

-- Milliseconds.
local SLICE = 8
local PAUSE = 1

--- Call `step` until it returns false. The first slice runs synchronously.
---@param step fun(): boolean whether to go on
---@param on_end? fun() called after the last step
function M.steps(step, on_end)
  local function run()
    local began = vim.uv.hrtime()
    while step() do
      if (vim.uv.hrtime() - began) / 1e6 > SLICE then
        return vim.defer_fn(run, PAUSE)
      end
    end
    if on_end then
      on_end()
    end
  end
  run()
end

--- Call `fn` with each value in turn. The first slice runs synchronously.
---@generic T
---@param values T[]
---@param fn fun(value: T)
---@param on_end? fun() called after the last value
function M.each(values, fn, on_end)
  local index = 0
  M.steps(function()
    index = index + 1
    if index > #values then
      return false
    end
    fn(values[index])
    return true
  end, on_end)
end

---@alias claude_ide.Pause fun(start?: fun(resume: fun())): number

--- Run `fn` in slices, between which it calls `pause`. With an argument `pause` waits until what that
--- function starts calls `resume`. It returns the milliseconds of work so far, and raises an error after a
--- cancellation.
---@param fn fun(pause: claude_ide.Pause): any
---@param done fun(ok: boolean, result: any) called with the result of `fn`, or with its error
---@return fun() cancel
function M.run(fn, done)
  local thread = coroutine.create(fn)
  local is_cancelled, spent, began = false, 0, 0
  local function elapsed()
    return (vim.uv.hrtime() - began) / 1e6
  end
  local function pause(start)
    local work = elapsed()
    if start or work > SLICE then
      spent = spent + work
      coroutine.yield(start)
      work = elapsed()
    end
    if is_cancelled then
      error('cancelled', 0)
    end
    return spent + work
  end
  local function slice()
    began = vim.uv.hrtime()
    local ok, result = coroutine.resume(thread, pause)
    if coroutine.status(thread) == 'dead' then
      return not is_cancelled and done(ok, result)
    elseif result then
      return result(slice)
    end
    vim.defer_fn(slice, PAUSE)
  end
  slice()
  return function()
    is_cancelled = true
  end
end

return M
