import { z } from 'zod';

/* Schemas shared by several operations. */

export const uuidSchema = z.uuid().meta({ description: 'UUID' });
export const timeSchema = z.string().meta({ format: 'date-time', description: 'RFC 3339, UTC, milliseconds' });

const requiredOr = (what: string) => ({
  error: ({ input }: { input?: unknown }) => (input === undefined ? 'is missing' : what),
});

const isStorable = (value: string) => value.isWellFormed() && !value.includes('\0');

/** A day of the calendar in a query. */
export const dayParameter = z.iso.date('has to be a day such as 2026-01-31');

/** A path segment. A value that cannot be an id leads to 404, not 400. */
export const pathParameter = (description: string) => z.string().refine(isStorable).meta({ description });

export const textSchema = (longest: number) =>
  z
    .string(requiredOr('has to be a single string'))
    .min(1, 'may not be empty')
    .max(longest, `has more than ${longest} characters`)
    .refine(isStorable, 'contains a character that is not allowed');

/** A number in a query. Other notations are rejected, not coerced. */
export const integerParameter = (from: number, to: number) =>
  z
    .string(requiredOr('has to be a single number'))
    .regex(/^\d{1,9}$/, 'has to be a whole number')
    .transform(Number)
    .pipe(z.int().min(from, `has to be at least ${from}`).max(to, `has to be at most ${to}`));

export const configurationIdParameter = z.uuid(requiredOr('has to be the id of a configuration')).meta({
  description: 'The configuration to use. Optional if you may use only one; otherwise "configuration-required".',
});

/** Parameters of every list. */
export const pagingParameters = {
  limit: integerParameter(1, 100).default(50).meta({ description: 'Maximum number of results' }),
  cursor: textSchema(200).optional().meta({ description: '"nextCursor" of the previous page' }),
};
export const nextCursorSchema = z
  .string()
  .nullable()
  .meta({ description: 'Cursor of the next page; null on the last page' });

/** Shared by the examples, so that they are consistent. */
export const exampleValues = {
  configuration: '01a1f94e-1c02-7d19-8f0a-52c7a4b2e611',
  task: '01a1f94e-2721-742a-95b1-cbf9e3400491',
  call: '01a1f94e-2b90-7b8e-a5f3-7e1d0c9f4a22',
  document: '01a1f94e-0d11-7c55-b2a4-19f0e6d3c870',
  linkedDocument: '01a1f94e-0d4a-7e03-9c61-7a2f84b5d916',
  approval: '01a1f94e-2c07-7f31-8e66-3b5a9d1e0f47',
  time: '2026-11-20T14:13:31.041Z',
};
