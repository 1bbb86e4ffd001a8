/** Publishes ids of sessions that ended, changed their listener or subscriptions, or have new events. */
export const sessionsTopic = 'mcp.session';

/** Publishes ids of exchanges with new messages or answers, and of request streams with new events. */
export const exchangesTopic = 'mcp.exchange';
