import type { ClientTarget } from './client.entity.js';

/** Where each target is reached, below the base address. One access token is for one of them. */
export const resourcePaths: Record<ClientTarget, string> = { api: '/v1', mcp: '/v1/mcp' };
