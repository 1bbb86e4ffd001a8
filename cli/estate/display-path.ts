import path from 'node:path';
import { redactedPath } from '../../src/estate/parsing/redacted-path.js';

/** A path as it is shown: without secrets, and relative to the current folder if it is below it. */
export function displayPath(file: string): string {
  const relative = path.relative(process.cwd(), file);
  const isBelow = relative && !relative.startsWith('..') && !path.isAbsolute(relative);
  return redactedPath(isBelow ? relative : file);
}
