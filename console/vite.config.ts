import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { contractsWithoutWords } from './contracts-without-words.ts';
import { type Plugin, defaultClientConditions, defineConfig } from 'vite';

/** Where the server serves it. Below a name of its own: `/jobs` is a route of the API (docs/decisions/0032-console.md). */
const BASE = '/console/';

export default defineConfig({
  base: BASE,
  root: import.meta.dirname,
  // Our own packages from their sources, so that nothing has to be built before.
  resolve: { conditions: ['millrace-source', ...defaultClientConditions] },
  plugins: [contractsWithoutWords(), react(), tailwind(), compressed()],
  build: {
    target: 'es2023',
    assetsInlineLimit: 0, // the content security policy allows no data: URL for fonts and scripts
    sourcemap: false,
    chunkSizeWarningLimit: 1_500, // the worker of pdf.js
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '^/(?!console/)': process.env['MILLRACE_URL'] ?? 'http://127.0.0.1:3000' } },
});

const TEXT = /\.(js|mjs|css|html|svg|json|wasm)$/;

/** Beside each text a .br and a .gz: the server sends them as they are, and compresses nothing while it runs. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        for (const [name, file] of Object.entries(bundle)) {
          if (!TEXT.test(name)) continue;
          const source = Buffer.from(file.type === 'chunk' ? file.code : file.source);
          const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
          this.emitFile({
            type: 'asset',
            fileName: `${name}.br`,
            source: brotliCompressSync(source, quality),
          });
          this.emitFile({
            type: 'asset',
            fileName: `${name}.gz`,
            source: gzipSync(source, { level: 9 }),
          });
        }
      },
    },
  };
}
