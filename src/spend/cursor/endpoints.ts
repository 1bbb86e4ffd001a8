const mib = 2 ** 20;

export interface CursorEndpoint {
  method: 'GET' | 'POST';
  path: string;
  /** Name of the returned data, for messages. */
  label: string;
  /** Documented rate limit per team. */
  perMinute: number;
  maxBytes: number;
  /** Parses amounts as exact decimals, not as floating point numbers. */
  isExact?: boolean;
  /** Responses have an ETag. An unchanged response does not count against the limit. */
  hasEtag?: boolean;
}

/** The endpoints used. All of them only read. https://cursor.com/docs/account/teams/admin-api */
export const cursorEndpoints = {
  // all members in one response, without pages
  members: { method: 'GET', path: '/teams/members', label: 'members', perMinute: 20, maxBytes: 64 * mib },
  usage: { method: 'POST', path: '/teams/daily-usage-data', label: 'daily usage', perMinute: 20, maxBytes: 32 * mib },
  events: {
    method: 'POST',
    path: '/teams/filtered-usage-events',
    label: 'tokens and costs',
    perMinute: 60,
    maxBytes: 8 * mib,
    isExact: true,
  },
  spend: {
    method: 'POST',
    path: '/teams/spend',
    label: 'the billing cycle total',
    perMinute: 20,
    maxBytes: 8 * mib,
    isExact: true,
  },
  mcpUse: {
    method: 'GET',
    path: '/analytics/by-user/mcp',
    label: 'MCP server usage',
    perMinute: 50,
    maxBytes: 16 * mib,
    hasEtag: true,
  },
} as const satisfies Record<string, CursorEndpoint>;
