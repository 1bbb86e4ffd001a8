import { z } from 'zod';

/** Not allowed in one line of displayed text: controls, line separators, lone surrogates, bidirectional overrides. */
export const unprintableCharacter = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/** A form field with one line of printable text. */
export const formText = (maxLength: number) =>
  z
    .string('is missing')
    .trim()
    .min(1, 'is missing')
    .max(maxLength, `has more than ${maxLength} characters`)
    .refine((text) => !unprintableCharacter.test(text), 'has a character that cannot be shown');

/** Not trimmed: spaces are part of a password. */
export const formPassword = z.string('is missing').min(1, 'is missing').max(1000, 'has more than 1000 characters');
