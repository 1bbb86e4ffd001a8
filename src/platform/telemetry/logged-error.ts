import { isNativeError } from 'node:util/types';

interface LoggedError {
  type: string;
  message: string;
  stack?: string;
  code?: string | number;
  cause?: unknown;
}

/**
 * The loggable part of an error. It excludes properties that libraries add, such as the connection, the statement and
 * its values, because these may contain content or secrets.
 */
export function serializeError(error: unknown, depth = 0): unknown {
  if (!isError(error)) return typeof error === 'string' ? error : { type: typeof error };
  const { code } = error as { code?: unknown };
  const logged: LoggedError = { type: error.constructor.name, message: error.message, stack: error.stack };
  if (typeof code === 'string' || typeof code === 'number') logged.code = code;
  if (error.cause !== undefined && depth < 3) logged.cause = serializeError(error.cause, depth + 1);
  return logged;
}

/** Also recognizes errors of another realm. */
const isError = (error: unknown): error is Error => error instanceof Error || isNativeError(error);
