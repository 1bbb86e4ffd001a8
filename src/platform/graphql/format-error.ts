import type { ErrorRequestHandler } from 'express';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { internalError, invalidRequest } from '../errors/general.error.js';
import { Problem } from '../errors/problem.js';
import { toProblem } from '../http/problem.filter.js';
import type { LogService } from '../telemetry/log.service.js';
import { truncate } from '../text/truncate.js';

interface InputValidationError {
  property: string;
  constraints?: Record<string, string>;
  children?: InputValidationError[];
}

/** `extensions.code` is the code of problem+json; what is not ours to tell is logged and hidden. */
export function formatError(log: LogService) {
  return (formatted: GraphQLFormattedError, thrown: unknown): GraphQLFormattedError => {
    const { message, path, locations } = formatted;
    const error = thrown instanceof GraphQLError ? (thrown.originalError ?? thrown) : thrown; // of resolvers and plugins alike
    if (error instanceof Problem) {
      return { path, locations, ...problemResponse(error) };
    }
    const code = formatted.extensions?.code;
    if (typeof code === 'string' && code !== 'INTERNAL_SERVER_ERROR') {
      return { message: withoutSuggestions(message), path, locations, extensions: { code: invalidRequest.code } };
    }
    log.error({ err: error, path }, 'a resolver failed');
    return { message: 'The request could not be finished.', path, locations, extensions: { code: internalError.code } };
  };
}

const problemResponse = ({ message, code, title, errors, extra }: Problem) => ({
  message,
  extensions: { code, title, errors, ...extra },
});

const longestMessage = 1000;
const mostFaults = 100;

/**
 * Suggestions name parts of the schema, which only administrators may read. The message quotes what was sent: only the part up
 * to the last question mark is searched, so that each match ends, and the search takes linear time.
 */
function withoutSuggestions(message: string): string {
  const end = message.lastIndexOf('?') + 1;
  return truncate(message.slice(0, end).replace(/ ?Did you mean [^?]*\?/g, '') + message.slice(end), longestMessage);
}

/** Answers for what stands before the GraphQL server, with the same body and with the status of the problem. */
export const sendGraphqlProblem =
  (log: LogService): ErrorRequestHandler =>
  (error: unknown, request, response, next) => {
    if (response.headersSent) return next(error);
    const problem = toProblem(error);
    if (problem.code === internalError.code) log.error({ err: error, requestId: request.id }, 'a request failed');
    response
      .status(problem.status)
      .set({ 'Cache-Control': 'no-store', ...problem.headers })
      .json({ errors: [problemResponse(problem)] });
  };

/** class-validator's findings on an input, with a JSON pointer each. */
export function createInputProblem(problems: InputValidationError[]): Problem {
  const faults = (list: InputValidationError[], at: string): { pointer: string; detail: string }[] =>
    list.flatMap(({ property, constraints, children }) => [
      ...Object.values(constraints ?? {}).map((detail) => ({ pointer: `${at}/${property}`, detail })),
      ...faults(children ?? [], `${at}/${property}`),
    ]);
  return invalidRequest('The input is not of the documented form.', {
    errors: faults(problems, '').slice(0, mostFaults),
  });
}
