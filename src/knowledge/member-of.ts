import type { Principal } from '../principal/principal.js';

/**
 * The member on whose behalf a principal reads, also through a product or an assistant. Null for an agent with a key of
 * its own.
 */
export const memberOf = ({ kind, memberId }: Principal): string | null => (kind === 'member' && memberId) || null;
