/** Whether the database refused a row because of this unique constraint or index. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  const refused = driverErrorOf(error);
  return refused?.code === '23505' && refused.constraint === constraint;
}

/** Whether a row stays because others refer to it. */
export const isForeignKeyViolation = (error: unknown): boolean => driverErrorOf(error)?.code === '23503';

const driverErrorOf = (error: unknown) =>
  (error as { driverError?: { code?: string; constraint?: string } }).driverError;
