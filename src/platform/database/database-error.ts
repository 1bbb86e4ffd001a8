import pg from 'pg';
import { QueryFailedError } from 'typeorm';

/** The error of the database, whether a statement or a method of TypeORM caused it. */
export function databaseErrorOf(error: unknown): pg.DatabaseError | undefined {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  return cause instanceof pg.DatabaseError ? cause : undefined;
}

export const isUniqueViolation = (error: unknown): boolean => databaseErrorOf(error)?.code === '23505';
