import type { Principal } from '../principal/principal.js';

/** The member on whose behalf a principal reads, also through a product or an assistant; null for an agent with its own key. */
export const memberOf = ({ kind, memberId }: Principal): string | null => (kind === 'member' && memberId) || null;
