// Bundles the command line with its libraries: node run.js cli/bundle.ts writes cli/dist, which npm packs alone.
// Tests name another folder.
import fs from 'node:fs/promises';
import path from 'node:path';
import { rolldown } from 'rolldown';

const folder = import.meta.dirname;
const dist = path.resolve(process.argv[2] ?? path.join(folder, 'dist'));

await fs.rm(dist, { recursive: true, force: true });
const bundle = await rolldown({
  input: { countersign: path.join(folder, 'main.ts') },
  platform: 'node',
  checks: { pluginTimings: false }, // a slow machine is no fault of the build
  // TypeScript resolves `.js` to `.ts`; `main` of some libraries is a module format that cannot be bundled
  resolve: { extensionAlias: { '.js': ['.ts', '.js'] }, mainFields: ['module', 'main'] },
  transform: { target: 'node20.12' },
});
await bundle.write({ dir: dist, format: 'esm', minify: true, keepNames: true, chunkFileNames: '[name]-[hash].js' });
await bundle.close();
await fs.chmod(path.join(dist, 'countersign.js'), 0o755);
