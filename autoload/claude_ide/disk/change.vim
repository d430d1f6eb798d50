vim9script
# Follows the files of buffers on the disk.

# Start or stop.
export def Watch(on: bool)
enddef
