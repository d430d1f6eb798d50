--- An index of buffers by the last part of their names, so that finding the buffer of a file examines few
--- buffers, however many there are.
local M = {}

local api = vim.api

-- After any of these events a buffer may have another name, or its name may have become a link.
local EVENTS = {
  'BufAdd',
  'BufFilePost',
  'BufNew',
  'BufReadPost',
  'BufWipeout',
  'BufWritePost',
}

local is_built = false
local by_key = {} ---@type table<string, table<integer, true>>
local keys = {} ---@type table<integer, string>
local links = {} ---@type table<integer, true> buffers whose name is itself a link
local outdated = {} ---@type table<integer, true>
local highest = 0 -- the highest buffer number seen

-- Some file systems ignore case.
local function key_of(path)
  return vim.fs.basename(path):lower()
end

local function forget(bufnr)
  local key = keys[bufnr]
  if key then
    by_key[key][bufnr] = nil
    keys[bufnr], links[bufnr] = nil, nil
  end
end

local function remember(bufnr)
  forget(bufnr)
  local name = api.nvim_buf_is_valid(bufnr) and api.nvim_buf_get_name(bufnr) or ''
  if name == '' then
    return
  end
  local key = key_of(name)
  by_key[key] = by_key[key] or {}
  by_key[key][bufnr], keys[bufnr] = true, key
  links[bufnr] = vim.uv.fs_readlink(name) ~= nil or nil
end

local function build()
  is_built, by_key, keys, links, outdated = true, {}, {}, {}, {}
  highest = vim.fn.bufnr('$')
  vim.iter(api.nvim_list_bufs()):each(remember)
  api.nvim_create_autocmd(EVENTS, {
    group = api.nvim_create_augroup('claude_ide_buffer_names', {}),
    callback = function(event)
      outdated[event.buf] = true
    end,
  })
end

-- A buffer that was created while events were ignored has a higher number than any before it.
local function catch_up()
  local last = vim.fn.bufnr('$')
  for bufnr = highest + 1, last do
    outdated[bufnr] = true
  end
  highest = math.max(highest, last)
  for bufnr in pairs(outdated) do
    remember(bufnr)
  end
  outdated = {}
end

local function add(found, bufnrs)
  for bufnr in pairs(bufnrs or {}) do
    found[bufnr] = true
  end
end

--- The buffers whose file may have one of these paths, in the order of their numbers. The caller must
--- compare the whole paths.
---@param ... string
---@return integer[] bufnrs
function M.candidates(...)
  if not is_built then
    build()
  end
  catch_up()
  local found = {}
  for _, path in ipairs({ ... }) do
    add(found, by_key[key_of(path)])
  end
  add(found, links)
  local bufnrs = vim.tbl_keys(found)
  table.sort(bufnrs)
  return bufnrs
end

--- Whether the index has missed a buffer with this name, because it was renamed while events were
--- ignored. If so, rebuild the index.
---@param path string
---@return boolean
function M.have_missed(path)
  if vim.fn.bufexists(path) == 0 then
    return false
  end
  local is_known = vim.iter(M.candidates(path)):any(function(bufnr)
    return api.nvim_buf_get_name(bufnr) == path
  end)
  if not is_known then
    build()
  end
  return not is_known
end

--- Drop the index; the next search builds it again.
function M.stop()
  is_built = false
  api.nvim_create_augroup('claude_ide_buffer_names', {})
end

return M
