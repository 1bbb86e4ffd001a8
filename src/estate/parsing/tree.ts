/** A JSON value whose objects may have any key, including `__proto__`, and preserve the order of keys. */
export type Tree = null | boolean | number | string | Tree[] | TreeObject;
export type TreeObject = Map<string, Tree>;

export const isTreeObject = (value: Tree | undefined): value is TreeObject => value instanceof Map;
