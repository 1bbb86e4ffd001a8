import { pointerTo } from '../../platform/json/strict-json.js';

const maxBoundedPointerLength = 2000;
const maxSegmentLength = 100;

/** JSON pointer into a file; "" (the whole file) if the pointer is too long to be useful. */
export function boundedPointer(path: readonly (string | number)[]): string {
  const length = path.reduce<number>((sum, step) => sum + String(step).length + 1, 0);
  return length > maxBoundedPointerLength ? '' : pointerTo(path);
}

/**
 * A key as a pointer segment, shortened. Only for redacted keys, because a truncated secret is no longer recognized.
 */
export const pointerSegment = (key: string): string =>
  key.length > maxSegmentLength ? `${key.slice(0, maxSegmentLength - 1).toWellFormed()}…` : key;
