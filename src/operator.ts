import './node-version.js';

await import('./operate.js');
