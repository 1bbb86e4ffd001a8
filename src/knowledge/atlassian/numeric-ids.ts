/** Compares ids as text, because they can exceed the safe integers of JavaScript. */
export const compareNumericIds = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
