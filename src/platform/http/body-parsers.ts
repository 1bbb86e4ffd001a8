import { type NextFunction, raw, type Request, type Response, urlencoded } from 'express';
import type { INestApplication } from '@nestjs/common';
import type { Config } from '../config/config.js';

const maxWebhookBytes = 2 ** 20;

/**
 * JSON stays raw until the handler parses it, because handlers need its source text. Form bodies are small. GraphQL
 * parses its bodies after authentication. The authorization server parses its own bodies too, because it must detect
 * repeated parameters. Slack signs the source text of its forms, and sources sign
 * their webhooks.
 */
export function useBodyParsers(app: INestApplication, config: Config): void {
  const limit = config.limits.bodyBytes;
  app.use('/webhooks/sources/', raw({ type: () => true, limit: maxWebhookBytes }));
  app.use(raw({ type: (request) => /json\b/i.test(request.headers['content-type'] ?? ''), limit }));
  const form = urlencoded({ extended: false, limit: 64 * 1024, parameterLimit: 100 });
  const signedForm = raw({ type: () => true, limit: 256 * 1024 });
  app.use((request: Request, response: Response, next: NextFunction) => {
    if (/^\/oauth2\//i.test(request.path)) return next();
    return (/^\/slack\//i.test(request.path) ? signedForm : form)(request, response, next);
  });
}
