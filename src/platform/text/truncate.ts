/**
 * The first `maxLength` UTF-16 code units of a text. Half of a surrogate pair at the end is replaced with U+FFFD,
 * because PostgreSQL and strict JSON parsers reject a lone surrogate.
 */
export const truncate = (text: string, maxLength: number): string => text.slice(0, maxLength).toWellFormed();
