import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { internalError, invalidRequest } from '../errors/general.error.js';
import { Problem } from '../errors/problem.js';
import type { Log } from '../telemetry/log.service.js';

interface ValidationProblem {
  property: string;
  constraints?: Record<string, string>;
  children?: ValidationProblem[];
}

/** `extensions.code` is the code of problem+json; what is not ours to tell is logged and hidden. */
export function formatError(log: Log) {
  return (formatted: GraphQLFormattedError, thrown: unknown): GraphQLFormattedError => {
    const { message, path, locations } = formatted;
    const error = thrown instanceof GraphQLError ? (thrown.originalError ?? thrown) : thrown; // of resolvers and plugins alike
    if (error instanceof Problem) {
      return {
        message: error.message,
        path,
        locations,
        extensions: { code: error.code, title: error.title, errors: error.errors, ...error.extra },
      };
    }
    const code = formatted.extensions?.code;
    if (typeof code === 'string' && code !== 'INTERNAL_SERVER_ERROR') {
      return { message, path, locations, extensions: { code: invalidRequest.code } };
    }
    log.error({ err: error, path }, 'a resolver failed');
    return { message: 'The request could not be finished.', path, locations, extensions: { code: internalError.code } };
  };
}

/** class-validator's findings on an input, with a JSON pointer each. */
export function refuseInput(problems: ValidationProblem[]): Problem {
  const faults = (list: ValidationProblem[], at: string): { pointer: string; detail: string }[] =>
    list.flatMap(({ property, constraints, children }) => [
      ...Object.values(constraints ?? {}).map((detail) => ({ pointer: `${at}/${property}`, detail })),
      ...faults(children ?? [], `${at}/${property}`),
    ]);
  return invalidRequest('The input is not of the documented form.', { errors: faults(problems, '') });
}
