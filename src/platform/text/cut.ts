/**
 * The first `most` UTF-16 code units of a text. Half of a surrogate pair at the end is replaced: as JSON, PostgreSQL refuses a text
 * that ends in one, and so does whoever reads JSON strictly.
 */
export const cut = (text: string, most: number): string => text.slice(0, most).toWellFormed();
