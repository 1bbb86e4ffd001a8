import { fileURLToPath } from 'node:url';
import type { NestExpressApplication } from '@nestjs/platform-express';

/** A file that `vite build` made for browsers, in dist/web; seen from the sources and from the server's own build alike. */
export const webFile = (name: string): string => fileURLToPath(new URL(`../../../dist/web/${name}`, import.meta.url));

/** Names carry a hash of the content, so that they may be kept for ever. */
export const serveWebAssets = (app: NestExpressApplication): void =>
  void app.useStaticAssets(webFile('assets'), { prefix: '/assets/', immutable: true, maxAge: '1y', index: false });
