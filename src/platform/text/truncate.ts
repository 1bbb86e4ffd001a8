/**
 * The first `maxLength` UTF-16 code units of a text. Half of a surrogate pair at the end is replaced with U+FFFD: PostgreSQL and
 * strict JSON parsers refuse a lone surrogate.
 */
export const truncate = (text: string, maxLength: number): string => text.slice(0, maxLength).toWellFormed();
