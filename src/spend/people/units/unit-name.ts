/** As shown: one blank between words, one way to write an accent. */
export const unitName = (typed: string): string => typed.normalize('NFC').trim().replace(/\s+/gu, ' ');

/** As compared: a list that says "platform team" means the "Platform Team" that there is. */
export const unitKey = (name: string): string => unitName(name).normalize('NFKC').toLowerCase();
