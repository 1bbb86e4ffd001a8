import { json, raw, urlencoded } from 'express';
import type { INestApplication } from '@nestjs/common';
import type { Config } from '../config/config.js';

/** JSON stays bytes until the handler reads it (its source text matters); forms are small; GraphQL is parsed for Apollo. */
export function readBodies(app: INestApplication, config: Config): void {
  const limit = config.limits.bodyBytes;
  app.use('/graphql', json({ limit }));
  app.use(raw({ type: (request) => /json\b/i.test(request.headers['content-type'] ?? ''), limit }));
  app.use(urlencoded({ extended: false, limit: 64 * 1024, parameterLimit: 100 }));
}
