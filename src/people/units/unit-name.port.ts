/** Display form: single spaces, normalized accents. */
export const unitName = (typed: string): string => typed.normalize('NFC').trim().replace(/\s+/gu, ' ');

/** Comparison key: "platform team" in a list refers to an existing "Platform Team". */
export const unitKey = (name: string): string => unitName(name).normalize('NFKC').toLowerCase();
