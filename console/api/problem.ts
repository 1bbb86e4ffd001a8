import type { CombinedError } from 'urql';

/** An error of the API, with the message of the server. */
export interface Problem {
  /** "invalid-request", "network", … */
  code: string;
  message: string;
  /** Errors of single fields: `pointer` is "/input/name". */
  errors: { pointer: string; detail: string }[];
  /** Further members of the problem, depending on its code. */
  extra: Record<string, unknown>;
}

interface Extensions extends Record<string, unknown> {
  code?: string;
  errors?: Problem['errors'];
}

export function problemOf(error: CombinedError): Problem {
  const [first] = error.graphQLErrors;
  if (!first) return unreachable;
  const { code = 'internal-error', errors = [], ...extra } = (first.extensions ?? {}) as Extensions;
  return { code, message: first.message, errors, extra };
}

const unreachable: Problem = {
  code: 'network',
  message: 'The server could not be reached. Your input is still here. Try again when the server is back.',
  errors: [],
  extra: {},
};
