import type { ClientTarget } from './client.entity.js';

/** The path of each target below the base URL. An access token is valid for one target. */
export const resourcePaths: Record<ClientTarget, string> = { api: '/v1', mcp: '/v1/mcp' };
