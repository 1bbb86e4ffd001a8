import { isNativeError } from 'node:util/types';

interface LoggedError {
  type: string;
  message: string;
  stack?: string;
  code?: string | number;
  cause?: unknown;
}

/**
 * What the log keeps of an error: no property that a library has hung on it, such as the connection, the statement and its
 * values, which may be content or secrets.
 */
export function serializeError(error: unknown, depth = 0): unknown {
  if (!isError(error)) return typeof error === 'string' ? error : { type: typeof error };
  const { code } = error as { code?: unknown };
  const logged: LoggedError = { type: error.constructor.name, message: error.message, stack: error.stack };
  if (typeof code === 'string' || typeof code === 'number') logged.code = code;
  if (error.cause !== undefined && depth < 3) logged.cause = serializeError(error.cause, depth + 1);
  return logged;
}

/** Of whatever realm. */
const isError = (error: unknown): error is Error => error instanceof Error || isNativeError(error);
