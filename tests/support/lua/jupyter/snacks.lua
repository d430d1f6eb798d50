-- Imitates snacks.nvim: the functions that show an image, in a terminal that can.
_G.placed = {}
package.loaded.snacks = {
  image = {
    supports_terminal = function()
      return true
    end,
    placement = {
      new = function(bufnr, path, options)
        table.insert(_G.placed, { vim.fn.bufname(bufnr), path, options.pos })
      end,
    },
  },
}
