import type { FetchLike } from '@modelcontextprotocol/client';
import type { StdioCommand } from './stdio/stdio-session.js';

export interface HttpEndpoint {
  url: URL;
  headers: Record<string, string>;
  /** Where each request takes a person’s own token along. */
  wrapFetch?: (reach: FetchLike) => FetchLike;
}

/** A server and the credential to use there. */
export interface McpTarget {
  /** One credential at one revision of its connection: never shared between credentials. */
  key: string;
  tenantId: string;
  connectionId: string;
  endpoint: HttpEndpoint | { command: StdioCommand };
  timeoutMs: number;
}
