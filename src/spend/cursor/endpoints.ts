const mib = 2 ** 20;

export interface Endpoint {
  method: 'GET' | 'POST';
  path: string;
  /** What people call that which it gives. */
  gives: string;
  /** Requests of one team, by the vendor's documentation. */
  perMinute: number;
  maxBytes: number;
  /** Amounts are read digit by digit, not as floating point numbers. */
  isExact?: boolean;
  /** Answers carry an ETag, and an unchanged one costs nothing. */
  hasTag?: boolean;
}

/** What is asked of Cursor's interfaces: all of it only reads. https://cursor.com/docs/account/teams/admin-api */
export const endpoints = {
  // all members in one answer: there are no pages
  members: { method: 'GET', path: '/teams/members', gives: 'members', perMinute: 20, maxBytes: 64 * mib },
  usage: { method: 'POST', path: '/teams/daily-usage-data', gives: 'daily usage', perMinute: 20, maxBytes: 32 * mib },
  events: {
    method: 'POST',
    path: '/teams/filtered-usage-events',
    gives: 'tokens and costs',
    perMinute: 60,
    maxBytes: 8 * mib,
    isExact: true,
  },
  spend: {
    method: 'POST',
    path: '/teams/spend',
    gives: 'the total of the billing cycle',
    perMinute: 20,
    maxBytes: 8 * mib,
    isExact: true,
  },
  mcpUse: {
    method: 'GET',
    path: '/analytics/by-user/mcp',
    gives: 'which MCP servers people use',
    perMinute: 50,
    maxBytes: 16 * mib,
    hasTag: true,
  },
} as const satisfies Record<string, Endpoint>;
