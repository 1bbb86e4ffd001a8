import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../config/config.js';
import { internalError, invalidRequest, notFound, tooLarge, unsupportedMediaType } from '../errors/general.error.js';
import { Problem } from '../errors/problem.js';
import { LogService } from '../telemetry/log.service.js';
import { acceptsHtml } from './accepts-html.js';
import { sendProblemPage } from './problem-page.js';

/** The only place that converts errors to responses. GraphQL has its own (graphql/format-error.ts). */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    private readonly config: Config,
    private readonly log: LogService,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    if (host.getType<'http' | 'graphql'>() === 'graphql') throw error;
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const problem = toProblem(error);
    if (problem.code === internalError.code)
      this.log.error({ err: error, requestId: request.id, path: request.path }, 'request failed');
    this.sendProblem(request, response, problem);
  }

  private sendProblem(request: Request, response: Response, problem: Problem): void {
    if (response.headersSent) {
      response.destroy(); // a failed stream must not look complete
      return;
    }
    response.status(problem.status).set(problem.headers ?? {});
    if (acceptsHtml(request)) sendProblemPage(response, problem, request.id);
    else
      response.type('application/problem+json').send(JSON.stringify(problem.toJSON(this.config.baseUrl, request.id)));
  }
}

/** Maps errors of libraries to problems. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  // Nest wraps errors of the body parser
  const { type, status } = (error instanceof HttpException ? (error.cause ?? error) : error) as {
    type?: string;
    status?: number;
  };
  if (type === 'entity.too.large')
    return tooLarge('The body is larger than this server accepts. Send less data.', { cause: error });
  if (type === 'encoding.unsupported' || type === 'charset.unsupported')
    return unsupportedMediaType('Send UTF-8 text, uncompressed or with gzip.', { cause: error });
  if (type || (status === 400 && !(error instanceof HttpException)))
    return invalidRequest('The request could not be read.', { cause: error });
  if (error instanceof HttpException && error.getStatus() === 404) return notFound('Nothing exists at this address.');
  if (error instanceof HttpException && error.getStatus() < 500) return invalidRequest(error.message, { cause: error });
  return internalError('The request failed because of a server error.', { cause: error });
}
