import { storableFileText } from './invisible-characters.js';
import { normalizedPath } from './known-files.js';
import { Redactor } from '../redaction/redactor.js';

/** A path without secrets, with "/" between its names. */
export const redactedPath = (path: string): string =>
  new Redactor(() => '', new Map()).text(storableFileText(normalizedPath(path)), '');
