--- The options for `vim.text.diff` that 'diffopt' asks for.
local M = {}

local FLAGS = {
  iblank = 'ignore_blank_lines',
  iwhite = 'ignore_whitespace_change',
  iwhiteall = 'ignore_whitespace',
  iwhiteeol = 'ignore_whitespace_change_at_eol',
  ['indent-heuristic'] = 'indent_heuristic',
}

--- The options of the differ. "linematch" is left out: it aligns lines within a hunk, and as an option of
--- the differ it would divide the hunk.
---@return table<string, string|boolean>
function M.options()
  local options = {}
  for _, item in ipairs(vim.split(vim.o.diffopt, ',')) do
    local name, value = item:match('^([^:]+):?(.*)$')
    if name == 'algorithm' then
      options.algorithm = value
    elseif FLAGS[name] then
      options[FLAGS[name]] = true
    end
  end
  return options
end

return M
