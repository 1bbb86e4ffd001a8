import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { notFound } from '../errors/general.error.js';
import { ifExists } from '../files/if-exists.js';

/** A page of the `vite build` output. Not found if this server has no build; other errors are thrown. */
export async function readWebPage(name: string): Promise<string> {
  const page = await ifExists(readFile(webFile(name), 'utf8'));
  if (page === undefined) throw notFound('This server has no build of its pages. Run "npm run build" and restart it.');
  return page;
}

/** A file of the `vite build` output in dist/web. The relative path is the same from src and from dist. */
export const webFile = (name: string): string => fileURLToPath(new URL(`../../../dist/web/${name}`, import.meta.url));

/** File names contain a content hash, so that browsers may cache them forever. */
export const serveWebAssets = (app: NestExpressApplication): void =>
  void app.useStaticAssets(webFile('assets'), { prefix: '/assets/', immutable: true, maxAge: '1y', index: false });
