import type { SecretType } from '../../platform/secrets/secret-types.js';

/* Marks that replace values in stored definitions. */

/** Replaces a secret. */
export const secretMark = (type: SecretType): string => `[secret:${type}]`;
/** Replaces a value that may be a secret. */
export const droppedValue = '[redacted]';

const secret = String.raw`\[secret:\w+\]`;
export const markPattern = String.raw`(?:${secret}|\[redacted\])`;

export const secretMarks = new RegExp(secret, 'g');
const wholeMark = new RegExp(`^${markPattern}$`);
const someMark = new RegExp(markPattern);
const everyMark = new RegExp(markPattern, 'g');

/** Splits a text so that every second part is a mark. */
export const betweenMarks = new RegExp(`(${markPattern})`);

export const isRedactionMark = (text: string): boolean => wholeMark.test(text);
export const hasMark = (text: string): boolean => someMark.test(text);
export const countMarks = (text: string): number => text.match(everyMark)?.length ?? 0;
