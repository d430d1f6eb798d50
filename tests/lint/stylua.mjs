// Formats Lua as stylua.toml says: `node stylua.mjs MODULES [--check] PATH…`, where a path is
// a file or a folder of them. StyLua's own package is a library; its command is a download from
// elsewhere.
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'

const [modules, ...paths] = process.argv.slice(2).filter((argument) => argument !== '--check')
const check = process.argv.includes('--check')
const stylua = createRequire(resolve(modules, 'x'))('@johnnymorganz/stylua')
const enumerations = { indent_type: stylua.IndentType, quote_style: stylua.QuoteStyle }

function configuration() {
  const config = stylua.Config.new()
  for (const line of readFileSync('stylua.toml', 'utf8').trim().split('\n')) {
    const [key, value] = line.split(' = ').map((part) => part.replaceAll('"', ''))
    config[key] = enumerations[key] ? enumerations[key][value] : Number(value)
  }
  config.syntax = stylua.LuaVersion.LuaJIT
  return config
}

function modulesIn(path) {
  if (statSync(path).isFile()) return [path]
  const names = readdirSync(path, { recursive: true })
  return names.filter((name) => name.endsWith('.lua')).map((name) => join(path, name))
}

for (const path of paths.flatMap(modulesIn)) {
  const code = readFileSync(path, 'utf8')
  // The library frees a configuration that it was given.
  const formatted = stylua.formatCode(code, configuration(), null, stylua.OutputVerification.Full)
  if (formatted === code) continue
  if (check) {
    console.error(`would reformat ${path}`)
    process.exitCode = 1
  } else {
    writeFileSync(path, formatted)
    console.log(`reformatted ${path}`)
  }
}
