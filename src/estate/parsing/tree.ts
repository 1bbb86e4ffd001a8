/** A JSON value whose objects may have any keys, `__proto__` included, and remember their order. */
export type Tree = null | boolean | number | string | Tree[] | TreeObject;
export type TreeObject = Map<string, Tree>;

export const isTreeObject = (value: Tree | undefined): value is TreeObject => value instanceof Map;
