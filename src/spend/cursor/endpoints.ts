const mib = 2 ** 20;

export interface CursorEndpoint {
  method: 'GET' | 'POST';
  path: string;
  /** What people call that which it gives. */
  label: string;
  /** Requests of one team, by the vendor's documentation. */
  perMinute: number;
  maxBytes: number;
  /** Amounts are read digit by digit, not as floating point numbers. */
  isExact?: boolean;
  /** Answers carry an ETag, and an unchanged one costs nothing. */
  hasEtag?: boolean;
}

/** What is asked of Cursor's interfaces: all of it only reads. https://cursor.com/docs/account/teams/admin-api */
export const cursorEndpoints = {
  // all members in one answer: there are no pages
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
    label: 'the total of the billing cycle',
    perMinute: 20,
    maxBytes: 8 * mib,
    isExact: true,
  },
  mcpUse: {
    method: 'GET',
    path: '/analytics/by-user/mcp',
    label: 'which MCP servers people use',
    perMinute: 50,
    maxBytes: 16 * mib,
    hasEtag: true,
  },
} as const satisfies Record<string, CursorEndpoint>;
