import type { OutboundHttpClient } from '../platform/http/outbound-http-client.service.js';
import type { LogService } from '../platform/telemetry/log.service.js';
import type { Connection } from './connection.entity.js';

export interface ConnectionContext {
  connection: Connection;
  settings: Record<string, unknown>;
  /** The member on whose behalf the request is made; undefined if there is none. */
  member?: string;
  /** A credential in plain text; undefined if not set. */
  secret(name: string): string | undefined;
  outgoing: OutboundHttpClient;
  signal: AbortSignal;
  log: LogService;
}
