import path from 'node:path';
import { defineConfig } from 'vite';

/** What browsers load. It lands beside the server's own build, which serves it. */
export default defineConfig({
  root: import.meta.dirname,
  logLevel: 'error',
  oxc: { jsx: { runtime: 'automatic' } },
  server: {
    port: 5173,
    // pages and the API come from a server that runs beside (npm run demo); the console's own files are changed here
    proxy: {
      '^/(?!console/(?!events|exports)|console$|@|node_modules/|src/|app/|api/|features/|kit/|pages/|main.tsx)': {
        target: process.env.SERVER_URL ?? 'http://127.0.0.1:8080',
      },
    },
  },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    rollupOptions: {
      input: ['index.html', 'graphiql/index.html'].map((page) => path.join(import.meta.dirname, page)),
      // the first load lists all 300 files: their names were 3 kB of it
      output: { chunkFileNames: 'assets/[hash].js' },
    },
    chunkSizeWarningLimit: 2000,
    sourcemap: false,
    // a page never starts to load what it may not need
    modulePreload: { polyfill: false },
  },
});
