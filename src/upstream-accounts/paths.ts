/** The page where a person connects their own account. */
export const connectPath = (connectionId: string): string => `/connections/${connectionId}/connect`;

/**
 * The redirect URI for authorization servers. Each connection has its own, so a response cannot be mistaken for that of
 * another connection's server (RFC 9700, section 4.4.2.2).
 */
export const callbackPath = (connectionId: string): string => `/connections/${connectionId}/callback`;

/** The client metadata document, whose URL is the client id at servers that accept one. */
export const documentPath = (connectionId: string): string => `/connections/${connectionId}/client.json`;
