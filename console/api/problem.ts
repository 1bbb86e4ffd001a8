import type { CombinedError } from 'urql';

/** What the server refused, in its words. */
export interface Problem {
  /** "invalid-request", "network", … */
  code: string;
  message: string;
  /** What is wrong with single fields: `pointer` is "/input/name". */
  errors: { pointer: string; detail: string }[];
  /** What the code says besides. */
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
  message: 'The server could not be reached. Nothing is lost: try again once it is back.',
  errors: [],
  extra: {},
};
