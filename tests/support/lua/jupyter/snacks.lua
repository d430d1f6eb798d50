-- Imitates snacks.nvim: an image appears only in a buffer that is in a window, and the terminal is asked
-- what it is before.
_G.placed = {}
local is_known = false
package.loaded.snacks = {
  image = {
    terminal = {
      detect = function(callback)
        vim.schedule(function()
          is_known = true
          callback()
        end)
      end,
    },
    supports_terminal = function()
      return assert(is_known, 'this blocks Neovim')
    end,
    placement = {
      new = function(bufnr, path, options)
        assert(#vim.fn.win_findbuf(bufnr) > 0, 'it would never appear')
        table.insert(_G.placed, { vim.fn.bufname(bufnr), path, options.pos })
        return {
          close = function()
            table.insert(_G.placed, { 'closed', path })
          end,
        }
      end,
    },
  },
}
