import { globSync, statSync } from 'node:fs';
import { build } from 'vite';

const sources = ['console/**/*.{ts,tsx,css,html}', 'package-lock.json'];

/** Builds the console if its sources are newer than the build. Earlier files remain for pages that are open. */
export async function buildConsole() {
  if (changedAt('dist/web/index.html') > Math.max(...globSync(sources).map(changedAt))) return;
  await build({ configFile: 'console/vite.config.ts', build: { emptyOutDir: false } });
}

const changedAt = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
