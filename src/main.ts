import './node-version.js';

const { enableCompileCache } = await import('node:module');
enableCompileCache(`${import.meta.dirname}/.compile-cache`); // otherwise V8 compiles 20 MB at each start
await import('./serve.js');
