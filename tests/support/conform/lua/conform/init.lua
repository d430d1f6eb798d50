--- The part of conform.nvim that other plugins use: formatters are programs that run one after the
--- other.
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

function M.format_lines(names, lines, options, callback)
  assert(options.async and options.quiet)
  local waiting, failure = vim.list_slice(names), nil
  local function next_formatter()
    local name = table.remove(waiting, 1)
    if not name then
      return callback(failure and { message = failure }, lines)
    end
    run(options.bufnr, name, lines, function(err, new)
      failure, lines = failure or err, err and lines or new
      next_formatter()
    end)
  end
  next_formatter()
end

return M
