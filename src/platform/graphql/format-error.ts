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

/** `extensions.code` is the code of problem+json. Internal errors are logged and hidden. */
export function formatError(log: LogService) {
  return (formatted: GraphQLFormattedError, thrown: unknown): GraphQLFormattedError => {
    const { message, path, locations } = formatted;
    // errors of resolvers are wrapped, errors of plugins are not
    const error = thrown instanceof GraphQLError ? (thrown.originalError ?? thrown) : thrown;
    if (error instanceof Problem) {
      return { path, locations, ...problemResponse(error) };
    }
    const code = formatted.extensions?.code;
    if (typeof code === 'string' && code !== 'INTERNAL_SERVER_ERROR') {
      return { message: withoutSuggestions(message), path, locations, extensions: { code: invalidRequest.code } };
    }
    log.error({ err: error, path }, 'resolver failed');
    return {
      message: 'The request failed because of a server error.',
      path,
      locations,
      extensions: { code: internalError.code },
    };
  };
}

const problemResponse = ({ message, code, title, errors, extra }: Problem) => ({
  message,
  extensions: { code, title, errors, ...extra },
});

const maxMessageLength = 1000;
const maxReportedErrors = 100;

/**
 * Suggestions reveal parts of the schema, which only administrators may read. The message quotes the request. Only the
 * part up to the last question mark is searched, so that every match ends and the search takes linear time.
 */
function withoutSuggestions(message: string): string {
  const end = message.lastIndexOf('?') + 1;
  return truncate(message.slice(0, end).replace(/ ?Did you mean [^?]*\?/g, '') + message.slice(end), maxMessageLength);
}

/** Error handler of the middleware before the GraphQL server: the same body, and the status of the problem. */
export const sendGraphqlProblem =
  (log: LogService): ErrorRequestHandler =>
  (error: unknown, request, response, next) => {
    if (response.headersSent) return next(error);
    const problem = toProblem(error);
    if (problem.code === internalError.code) log.error({ err: error, requestId: request.id }, 'request failed');
    response
      .status(problem.status)
      .set({ 'Cache-Control': 'no-store', ...problem.headers })
      .json({ errors: [problemResponse(problem)] });
  };

/** Converts the errors of class-validator, each with a JSON pointer. */
export function createInputProblem(problems: InputValidationError[]): Problem {
  const fieldErrors = (list: InputValidationError[], at: string): { pointer: string; detail: string }[] =>
    list.flatMap(({ property, constraints, children }) => [
      ...Object.values(constraints ?? {}).map((detail) => ({ pointer: `${at}/${property}`, detail })),
      ...fieldErrors(children ?? [], `${at}/${property}`),
    ]);
  return invalidRequest('The input is not valid. "errors" lists the fields to correct.', {
    errors: fieldErrors(problems, '').slice(0, maxReportedErrors),
  });
}
