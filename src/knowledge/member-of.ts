import type { Principal } from '../principal/principal.js';

/** The person for whom a principal reads: themselves, also through a product or an assistant. */
export const memberOf = ({ kind, memberId }: Principal): string | null => (kind === 'member' && memberId) || null;
