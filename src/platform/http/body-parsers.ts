import { type NextFunction, raw, type Request, type Response, urlencoded } from 'express';
import type { INestApplication } from '@nestjs/common';
import type { Config } from '../config/config.js';

/**
 * JSON stays bytes until the handler reads it (its source text matters); forms are small. GraphQL reads its own bodies after
 * authentication; so does the authorization server: there it matters how often a parameter was sent.
 */
export function useBodyParsers(app: INestApplication, config: Config): void {
  const limit = config.limits.bodyBytes;
  app.use(raw({ type: (request) => /json\b/i.test(request.headers['content-type'] ?? ''), limit }));
  const form = urlencoded({ extended: false, limit: 64 * 1024, parameterLimit: 100 });
  app.use((request: Request, response: Response, next: NextFunction) =>
    /^\/oauth2\//i.test(request.path) ? next() : form(request, response, next),
  );
}
