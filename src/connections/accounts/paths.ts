/** Where a person connects an account of their own. */
export const connectPath = (connectionId: string): string => `/connections/${connectionId}/connect`;

/**
 * Where authorization servers send people back to. One address a connection: no answer can be taken for that of another
 * one's server (RFC 9700, section 4.4.2.2).
 */
export const callbackPath = (connectionId: string): string => `/connections/${connectionId}/callback`;

/** The document about us that is our client id where a server takes one. */
export const documentPath = (connectionId: string): string => `/connections/${connectionId}/client.json`;
