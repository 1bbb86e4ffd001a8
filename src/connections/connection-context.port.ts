import type { OutboundHttpClient } from '../platform/http/outbound-http-client.service.js';
import type { LogService } from '../platform/telemetry/log.service.js';
import type { Connection } from './connection.entity.js';

export interface ConnectionContext {
  connection: Connection;
  settings: Record<string, unknown>;
  /** The member that the request is made for; undefined if it is for no particular person. */
  member?: string;
  /** A credential in clear text; undefined if not set. */
  secret(name: string): string | undefined;
  outgoing: OutboundHttpClient;
  signal: AbortSignal;
  log: LogService;
}
