import type { FetchLike } from '@modelcontextprotocol/client';
import type { StdioCommand } from './stdio/stdio-session.js';

export interface HttpEndpoint {
  url: URL;
  headers: Record<string, string>;
  /** Adds a person’s own token to each request. */
  wrapFetch?: (reach: FetchLike) => FetchLike;
}

/** A server and the credential to use with it. */
export interface McpTarget {
  /** Identifies one credential at one revision of its connection; never shared between credentials. */
  key: string;
  tenantId: string;
  connectionId: string;
  endpoint: HttpEndpoint | { command: StdioCommand };
  timeoutMs: number;
}
