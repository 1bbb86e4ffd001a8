import { globSync, statSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'vite';

const sources = ['console/**/*.{ts,tsx,css,html}', 'package-lock.json'];
const webFolder = path.resolve('dist/web');

/** Builds the console if its sources are newer than the build. Earlier files remain for pages that are open. */
export async function buildConsole(): Promise<void> {
  if (changedAt('dist/web/index.html') > Math.max(...globSync(sources).map(changedAt))) return;
  await viteBuild(webFolder, 'production');
}

/**
 * The same sources with the development build of React. Its scripts are served next to those of the other build, whose
 * files stay untouched, because open pages load them.
 */
export async function buildDevelopmentConsole(folder: string): Promise<void> {
  await viteBuild(folder, 'development');
  await cp(path.join(folder, 'assets'), path.join(webFolder, 'assets'), { recursive: true, force: false });
}

async function viteBuild(outDir: string, variant: 'production' | 'development'): Promise<void> {
  const { NODE_ENV } = process.env;
  process.env.NODE_ENV = variant; // the value of the test runner would always select the development build
  try {
    await build({ configFile: 'console/vite.config.ts', build: { outDir, emptyOutDir: false } });
  } finally {
    process.env.NODE_ENV = NODE_ENV;
  }
}

const changedAt = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
