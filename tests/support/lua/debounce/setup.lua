local period, held = ...
_G.STATE, _G.SEEN, _G.LOOKS = 0, 0, {}
_G.LIMITED = require('claude_ide.timing.debounce').new(period, function()
  local changed = _G.STATE ~= _G.SEEN
  _G.SEEN = _G.STATE
  table.insert(_G.LOOKS, { state = _G.STATE, at = vim.uv.hrtime() / 1e6 })
  return changed
end, held)
