-- A lualine with one component, which is drawn at a refresh.
local component
package.preload['lualine.component'] = function()
  local base = {
    init = function(self, options)
      self.options = options
    end,
  }
  base.extend = function(self)
    return setmetatable({ super = self }, { __index = self })
  end
  return base
end
package.preload['lualine'] = function()
  return {
    refresh = function()
      vim.g.refreshed = component:update_status()
    end,
  }
end
component = require('lualine.components.claude_ide')
component:init({})
