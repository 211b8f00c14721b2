import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { defineConfig, type Plugin } from 'vite'

/** Compressed once here, so that no request has to wait for it. */
function precompress(): Plugin {
  let outDir = ''
  return {
    name: 'precompress',
    apply: 'build',
    configResolved(config) {
      outDir = config.build.outDir
    },
    async closeBundle() {
      const entries = await readdir(outDir, { withFileTypes: true, recursive: true })
      const texts = entries.filter((entry) => entry.isFile() && /\.(js|css|html|svg)$/.test(entry.name))
      await Promise.all(texts.map((entry) => compressFile(join(entry.parentPath, entry.name))))
    },
  }
}

async function compressFile(path: string): Promise<void> {
  const text = await readFile(path)
  if (text.byteLength < 1024) return
  // Quality 11 takes 4 s for the layout engine and saves 6 % over 9, which takes a fifth of that.
  const br = await promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })
  await Promise.all([
    writeFile(`${path}.br`, br),
    promisify(gzip)(text, { level: 9 }).then((gz) => writeFile(`${path}.gz`, gz)),
  ])
}

export default defineConfig({
  root: import.meta.dirname,
  build: {
    outDir: join(import.meta.dirname, 'dist'),
    emptyOutDir: true,
    target: 'es2022',
    reportCompressedSize: false,
    // Data URLs for fonts and scripts are what the console's content security policy forbids.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2_000,
    rollupOptions: {
      // "use client" means something to servers that render React; there is none here.
      onwarn: (warning, report) => warning.code === 'MODULE_LEVEL_DIRECTIVE' || report(warning),
    },
  },
  esbuild: { jsx: 'automatic' },
  worker: { format: 'es' },
  plugins: [precompress()],
  server: { proxy: { '/api': process.env.MILLRACE_URL ?? 'http://127.0.0.1:8080' } },
})
