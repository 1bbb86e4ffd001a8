// Bundles the command line with its libraries, for `npm pack`: node run.js cli/bundle.ts [folder] writes cli/dist.
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
  // TypeScript resolves `.js` to `.ts`
  resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
});
await bundle.write({ dir: dist, format: 'esm', minify: true, keepNames: true, chunkFileNames: '[name]-[hash].js' });
await bundle.close();
await fs.chmod(path.join(dist, 'countersign.js'), 0o755);
await fs.writeFile(path.join(dist, 'package.json'), '{ "type": "module" }\n');
