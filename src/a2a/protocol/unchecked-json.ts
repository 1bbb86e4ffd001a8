/** JSON of a client that no schema has checked. */
export type UncheckedJson = Record<string, unknown>;

export const isObject = (value: unknown): value is UncheckedJson => typeof value === 'object' && value !== null;
export const objectOrEmpty = (value: unknown): UncheckedJson => (isObject(value) ? value : {});
