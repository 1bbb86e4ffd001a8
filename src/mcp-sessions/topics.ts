/** Wakes with the ids of sessions that ended, were taken over by another listener, or have something to tell. */
export const sessionsTopic = 'mcp.session';

/** Wakes with the ids of exchanges, of what is asked in them, and of the streams that go with them. */
export const exchangesTopic = 'mcp.exchange';
