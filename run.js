// Runs a TypeScript script: node run.js examples/demo/main.ts. This file is plain JavaScript, so that a Node without
// type stripping can print the message. Without a script, it only checks the version.
import crypto from 'node:crypto';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [, , script, ...args] = process.argv;

if (typeof crypto.randomUUIDv7 !== 'function') {
  const onLinux = script
    ? `On Linux, "npm ci" has installed one: ${['npx node run.js', script, ...args].join(' ')}`
    : 'On Linux, "npm ci" installs one for the npm scripts.';
  process.stderr.write(
    `Countersign needs a current Node 24; this is Node ${process.versions.node}.\n` +
      `${onLinux}\nOn other systems, install Node 24 from https://nodejs.org.\n`,
  );
  process.exit(1);
}
if (script) {
  const file = path.resolve(script);
  process.argv = [process.execPath, file, ...args];
  await import(pathToFileURL(file).href);
}
