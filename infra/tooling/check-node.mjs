// Imported before anything else, so it keeps to what old versions of Node can read.
const wanted = [20, 20]
const found = process.versions.node.split('.').map(Number)

if (found[0] < wanted[0] || (found[0] === wanted[0] && found[1] < wanted[1])) {
  console.error(
    `Millrace needs Node ${wanted.join('.')} or later, and this is ${process.versions.node}. See https://nodejs.org or .nvmrc.`,
  )
  process.exit(1)
}
