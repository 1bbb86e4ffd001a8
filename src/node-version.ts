import crypto from 'node:crypto';
import path from 'node:path';

// Imported first: an old Node fails at link time on modules that import an API it does not have.
if (typeof crypto.randomUUIDv7 !== 'function') {
  const [, script = '', ...args] = process.argv;
  const command = ['npx node', path.relative('.', script), ...args].join(' ');
  process.stderr.write(
    `Countersign needs a current Node 24; this is Node ${process.versions.node}.\n` +
      `On Linux "npm ci" installed one: ${command}\nElsewhere install Node 24 from https://nodejs.org.\n`,
  );
  process.exit(1);
}
