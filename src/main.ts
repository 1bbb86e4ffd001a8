import './node-version.js';
import module from 'node:module';

module.enableCompileCache(`${import.meta.dirname}/.compile-cache`); // otherwise V8 compiles 20 MB at each start
await import('./serve.js');
