--- The part of conform.nvim that other plugins use: formatters are programs that run one after the
--- other, and the result replaces the text unless the text has changed since.
local M = {
  formatters_by_ft = {}, ---@type table<string, table>
  default_format_opts = {}, ---@type { lsp_format?: string }
  programs = {}, ---@type table<string, string>
}

local function formatters(bufnr)
  return vim.tbl_map(function(name)
    return { name = name }
  end, vim.list_slice(M.formatters_by_ft[vim.bo[bufnr].filetype] or {}))
end

function M.list_formatters_to_run(bufnr)
  return formatters(bufnr), false
end

local function replace(bufnr, lines, new)
  if vim.deep_equal(lines, new) then
    return false
  end
  local whole = { start = { line = 0, character = 0 }, ['end'] = { line = #lines, character = 0 } }
  local edit = { range = whole, newText = table.concat(new, '\n') .. '\n' }
  vim.lsp.util.apply_text_edits({ edit }, bufnr, 'utf-8')
  return true
end

local function run(bufnr, name, lines, done)
  local text = table.concat(lines, '\n') .. '\n'
  local job = vim.system({ 'sh', '-c', M.programs[name] }, { stdin = text }, function(result)
    vim.schedule(function()
      vim.api.nvim_exec_autocmds('User', { pattern = 'ConformFormatPost' })
      local err = result.code ~= 0 and ("Formatter '%s' error: %s"):format(name, result.stderr)
      done(err or nil, vim.split(vim.trim(result.stdout), '\n'))
    end)
  end)
  vim.b[bufnr].conform_pid = job.pid
end

function M.format(options, callback)
  local bufnr = options.bufnr
  assert(options.async and options.lsp_format == 'never')
  -- In Visual mode only the selection would be formatted.
  assert(not vim.api.nvim_get_mode().mode:find('^[vV]'), 'in Visual mode')
  local before, tick = vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), vim.b[bufnr].changedtick
  local waiting, lines, failure = formatters(bufnr), before, nil
  local function next_formatter()
    local formatter = table.remove(waiting, 1)
    if formatter then
      return run(bufnr, formatter.name, lines, function(err, new)
        failure, lines = failure or err, err and lines or new
        next_formatter()
      end)
    elseif not vim.api.nvim_buf_is_valid(bufnr) then
      return callback('buffer was deleted')
    elseif vim.b[bufnr].changedtick ~= tick then
      return callback('Async formatter discarding changes: concurrent modification')
    end
    callback(failure, replace(bufnr, before, lines))
  end
  next_formatter()
  return true
end

return M
