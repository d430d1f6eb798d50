_G.seen = {}
local function note(name)
  return function(...)
    table.insert(_G.seen, { name, ... })
  end
end
return require('claude_ide.headless').begin('ask', { prompt = 'x' }, {
  on_text = note('text'),
  on_progress = note('progress'),
  on_event = note('event'),
  on_end = note('end'),
})
