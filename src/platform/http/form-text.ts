import { z } from 'zod';

/** A field of a form: text that can be stored and shown. */
export const formText = (longest: number) =>
  z
    .string('is missing')
    .trim()
    .min(1, 'is missing')
    .max(longest, `has more than ${longest} characters`)
    .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), 'has a character that cannot be shown');

/** As typed, blanks included. */
export const formPassword = z.string('is missing').min(1, 'is missing').max(1000, 'has more than 1000 characters');
