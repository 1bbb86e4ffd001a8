import { z } from 'zod';

/** What has no place in one line of text that others read: controls, line ends, halves of characters, turns of direction. */
export const unprintableCharacter = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/** A field of a form: text that can be stored and shown. */
export const formText = (longest: number) =>
  z
    .string('is missing')
    .trim()
    .min(1, 'is missing')
    .max(longest, `has more than ${longest} characters`)
    .refine((text) => !unprintableCharacter.test(text), 'has a character that cannot be shown');

/** As typed, blanks included. */
export const formPassword = z.string('is missing').min(1, 'is missing').max(1000, 'has more than 1000 characters');
