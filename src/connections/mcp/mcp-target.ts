import type { FetchLike } from '@modelcontextprotocol/client';
import type { StdioCommand } from './stdio/line.js';

export interface HttpAddress {
  url: URL;
  headers: Record<string, string>;
  /** Where each request takes a person’s own token along. */
  through?: (reach: FetchLike) => FetchLike;
}

/** A server and the credential to use there. */
export interface McpTarget {
  /** One credential at one revision of its connection: never shared between credentials. */
  key: string;
  tenantId: string;
  connectionId: string;
  at: HttpAddress | { command: StdioCommand };
  timeoutMs: number;
}
