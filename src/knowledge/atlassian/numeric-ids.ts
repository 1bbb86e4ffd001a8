/** Ids are numbers that may exceed what a double can hold. */
export const compareNumericIds = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
