import { storableFileText } from '../parsing/invisible-characters.js';
import { normalizedPath } from '../parsing/known-files.js';
import { Redactor } from './redactor.js';

/** A path without secrets, with "/" between its names. */
export const redactedPath = (path: string): string =>
  new Redactor(() => '', new Map()).text(storableFileText(normalizedPath(path)), '');
