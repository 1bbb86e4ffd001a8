import { z } from 'zod';

/* What several operations have in common. */

export const uuidSchema = z.uuid().meta({ description: 'UUID' });
export const timeSchema = z.string().meta({ format: 'date-time', description: 'RFC 3339, UTC, milliseconds' });

const requiredOr = (what: string) => ({
  error: ({ input }: { input?: unknown }) => (input === undefined ? 'is missing' : what),
});

const isStorable = (value: string) => value.isWellFormed() && !value.includes('\0');

/** A part of an address. What cannot be the id of anything is unknown, not malformed. */
export const pathParameter = (description: string) => z.string().refine(isStorable).meta({ description });

export const textSchema = (longest: number) =>
  z
    .string(requiredOr('has to be one text'))
    .min(1, 'may not be empty')
    .max(longest, `has more than ${longest} characters`)
    .refine(isStorable, 'has a character that is not accepted');

/** A number in a query: never guessed from something else. */
export const integerParameter = (from: number, to: number) =>
  z
    .string(requiredOr('has to be one number'))
    .regex(/^\d{1,9}$/, 'has to be a whole number')
    .transform(Number)
    .pipe(z.int().min(from, `has to be at least ${from}`).max(to, `has to be at most ${to}`));

export const configurationIdParameter = z.uuid(requiredOr('has to be the id of a configuration')).meta({
  description: 'The configuration to use. Absent: your only one; with several of them, "configuration-required".',
});

/** Of every list. */
export const pagingParameters = {
  limit: integerParameter(1, 100).default(50).meta({ description: 'How many at most' }),
  cursor: textSchema(200).optional().meta({ description: '"nextCursor" of the page before' }),
};
export const nextCursorSchema = z.string().nullable().meta({ description: 'For the next page; null on the last one' });

/** For examples, so that they fit together. */
export const exampleValues = {
  configuration: '01a1f94e-1c02-7d19-8f0a-52c7a4b2e611',
  task: '01a1f94e-2721-742a-95b1-cbf9e3400491',
  call: '01a1f94e-2b90-7b8e-a5f3-7e1d0c9f4a22',
  document: '01a1f94e-0d11-7c55-b2a4-19f0e6d3c870',
  approval: '01a1f94e-2c07-7f31-8e66-3b5a9d1e0f47',
  time: '2026-11-20T14:13:31.041Z',
};
