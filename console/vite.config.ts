import { defineConfig } from 'vite';

/** What browsers load. It lands beside the server's own build, which serves it. */
export default defineConfig({
  root: import.meta.dirname,
  logLevel: 'error',
  oxc: { jsx: { runtime: 'automatic' } },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    rollupOptions: { input: 'console/graphiql/index.html' },
    chunkSizeWarningLimit: 2000,
    sourcemap: false,
  },
});
