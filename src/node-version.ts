import crypto from 'node:crypto';
import path from 'node:path';

// Import this first: an old Node fails at link time on modules that import an API that it lacks.
if (typeof crypto.randomUUIDv7 !== 'function') {
  const [, script = '', ...args] = process.argv;
  const command = ['npx node', path.relative('.', script), ...args].join(' ');
  process.stderr.write(
    `Countersign needs a current Node 24; this is Node ${process.versions.node}.\n` +
      `On Linux, "npm ci" has installed one: ${command}\nOn other systems, install Node 24 from https://nodejs.org.\n`,
  );
  process.exit(1);
}
