/** Whether the error is a violation of this unique constraint or index. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  const refused = driverErrorOf(error);
  return refused?.code === '23505' && refused.constraint === constraint;
}

/** Whether a row cannot be deleted because other rows reference it. */
export const isForeignKeyViolation = (error: unknown): boolean => driverErrorOf(error)?.code === '23503';

const driverErrorOf = (error: unknown) =>
  (error as { driverError?: { code?: string; constraint?: string } }).driverError;
