import { pointerTo } from '../../platform/json/strict-json.js';

const maxBoundedPointerLength = 2000;
const maxSegmentLength = 100;

/** JSON pointer of something in a file; the whole file where the pointer is too long to be of use. */
export function boundedPointer(path: readonly (string | number)[]): string {
  const length = path.reduce<number>((sum, step) => sum + String(step).length + 1, 0);
  return length > maxBoundedPointerLength ? '' : pointerTo(path);
}

/** A key as a step of a place. Only of redacted keys: a secret that is cut in two is not recognized any more. */
export const pointerSegment = (key: string): string =>
  key.length > maxSegmentLength ? `${key.slice(0, maxSegmentLength - 1).toWellFormed()}…` : key;
