// The commits since the tag before TAG (or since the beginning), newest first, as Markdown.
import { execFileSync } from 'node:child_process'

const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim()
const tag = process.env.TAG || 'HEAD'
const tags = git('tag', '--sort=-creatordate', '--merged', tag, 'v*')
  .split('\n')
  .filter((name) => name && name !== tag)
const range = tags[0] ? `${tags[0]}..${tag}` : tag
console.log(`## ${tag === 'HEAD' ? 'Unreleased' : tag}\n`)
if (tags[0]) console.log(`Since ${tags[0]}:\n`)
console.log(git('log', '--no-merges', '--format=- %s (%h)', range))
