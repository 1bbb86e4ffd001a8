import pg from 'pg';
import { QueryFailedError } from 'typeorm';

/** The error of the database, whether a statement or a method of TypeORM caused it. */
export function databaseErrorOf(error: unknown): pg.DatabaseError | undefined {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  return cause instanceof pg.DatabaseError ? cause : undefined;
}

/** Whether the error is a violation of a unique constraint or index: of this one, or of any. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const refused = databaseErrorOf(error);
  return refused?.code === '23505' && (constraint === undefined || refused.constraint === constraint);
}

/** Whether a row cannot be deleted because other rows reference it. */
export const isForeignKeyViolation = (error: unknown): boolean => databaseErrorOf(error)?.code === '23503';
