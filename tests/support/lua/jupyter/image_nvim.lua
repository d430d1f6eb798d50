-- Imitates image.nvim: an image belongs to one window.
_G.placed = {}
package.loaded.image = {
  from_file = function(path, options)
    assert(vim.api.nvim_win_get_buf(options.window) == options.buffer, 'it would never appear')
    return {
      render = function()
        table.insert(
          _G.placed,
          { vim.fn.bufname(options.buffer), path, { options.y + 1, options.x } }
        )
      end,
    }
  end,
}
