import type { Config } from '../platform/config/config.js';
import type { Principal } from '../principal/principal.js';

/** Where the operations of a member are served: below `/v1` for products, below `/cli` for terminals. */
export const memberApiUrl = ({ baseUrl }: Config, { surface }: Principal): string =>
  baseUrl + (surface === 'cli' ? '/cli' : '/v1');
