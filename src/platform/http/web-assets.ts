import { fileURLToPath } from 'node:url';
import type { NestExpressApplication } from '@nestjs/platform-express';

/** A file of the `vite build` output in dist/web. The relative path is the same from src and from dist. */
export const webFile = (name: string): string => fileURLToPath(new URL(`../../../dist/web/${name}`, import.meta.url));

/** File names contain a content hash, so that browsers may cache them forever. */
export const serveWebAssets = (app: NestExpressApplication): void =>
  void app.useStaticAssets(webFile('assets'), { prefix: '/assets/', immutable: true, maxAge: '1y', index: false });
