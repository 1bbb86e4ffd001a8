// Bundles the command line with its libraries and its manual page, for `npm pack`: node run.js cli/bundle.ts [folder]
// writes cli/dist.
import fs from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const source = import.meta.dirname;
const dist = path.resolve(process.argv[2] ?? path.join(source, 'dist'));

async function bundle(entry: string, folder: string): Promise<void> {
  const built = await rolldown({
    input: path.join(source, `${entry}.ts`),
    platform: 'node',
    checks: { pluginTimings: false }, // a slow machine is no fault of the build
    // TypeScript resolves `.js` to `.ts`; `main` of some libraries is a module format that cannot be bundled
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] }, mainFields: ['module', 'main'] },
    transform: { target: 'node20.12' },
  });
  await built.write({
    dir: folder,
    format: 'esm',
    minify: true,
    keepNames: true,
    entryFileNames: entry === 'main' ? 'countersign.js' : '[name].js',
    chunkFileNames: '[name]-[hash].js',
  });
  await built.close();
}

await fs.rm(dist, { recursive: true, force: true });
await bundle('main', dist);
await fs.chmod(path.join(dist, 'countersign.js'), 0o755);

const manual = path.join(dist, 'manual');
await bundle('manual-page', manual);
const { manualPage } = (await import(pathToFileURL(path.join(manual, 'manual-page.js')).href)) as {
  manualPage: () => string;
};
await fs.writeFile(path.join(dist, 'countersign.1'), manualPage());
await fs.rm(manual, { recursive: true });
