import type { Tree } from './tree.js';

/** As for JSON; deeper values are dropped. */
const maxTreeDepth = 24;

/** A value of another parser as a tree. Dates become texts. */
export function treeOf(value: unknown, depth = 0): Tree {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || depth === maxTreeDepth) return null;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (Array.isArray(value)) return value.map((item) => treeOf(item, depth + 1));
  return new Map(Object.entries(value).map(([key, inner]) => [key, treeOf(inner, depth + 1)]));
}
