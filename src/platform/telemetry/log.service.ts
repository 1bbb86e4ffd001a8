import { Injectable } from '@nestjs/common';
import { context, trace } from '@opentelemetry/api';
import { destination, pino, type Logger } from 'pino';
import { Config } from '../config/config.js';
import { serializeError } from './logged-error.js';

/** Writes JSON lines to standard error, because commands print their results to standard output. Never log secrets. */
@Injectable()
export class LogService {
  private readonly logger: Logger;

  constructor(config: Config) {
    this.logger = pino(
      {
        level: config.logLevel,
        base: { service: 'countersign' },
        timestamp: () => `,"time":"${new Date().toISOString()}"`,
        serializers: { err: (error: unknown) => serializeError(error) },
        redact: ['req.headers.authorization', 'req.headers.cookie', '*.password', '*.token', '*.secret'],
        mixin: () => {
          const span = trace.getSpanContext(context.active());
          return span ? { traceId: span.traceId, spanId: span.spanId } : {};
        },
      },
      destination({ fd: 2, sync: false }),
    );
  }

  debug(fields: object, message: string): void {
    this.logger.debug(fields, message);
  }
  info(fields: object, message: string): void {
    this.logger.info(fields, message);
  }
  warn(fields: object, message: string): void {
    this.logger.warn(fields, message);
  }
  error(fields: object, message: string): void {
    this.logger.error(fields, message);
  }
}
