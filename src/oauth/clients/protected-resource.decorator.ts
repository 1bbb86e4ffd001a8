import { applyDecorators, type ArgumentsHost, Catch, UseFilters } from '@nestjs/common';
import type { Request } from 'express';
import { Config } from '../../platform/config/config.js';
import { unauthenticated } from '../../platform/errors/general.error.js';
import { Problem } from '../../platform/errors/problem.js';
import { bearer } from '../../platform/http/bearer.js';
import { ProblemFilter } from '../../platform/http/problem.filter.js';
import { LogService } from '../../platform/telemetry/log.service.js';
import { Authenticate } from '../../principal/allow.decorator.js';
import type { ClientTarget } from './client.entity.js';
import { insufficientScope } from './clients.error.js';
import { ProtectedResourcesService } from './protected-resources.service.js';

/** Says with every refusal which token would do, and where to get it (RFC 6750, section 3, RFC 9728, section 5.1). */
function challengeFor(target: ClientTarget) {
  @Catch()
  class Challenge extends ProblemFilter {
    constructor(
      config: Config,
      log: LogService,
      private readonly resources: ProtectedResourcesService,
    ) {
      super(config, log);
    }

    override catch(error: unknown, host: ArgumentsHost): void {
      const request = host.switchToHttp().getRequest<Request>();
      super.catch(error instanceof Problem ? this.challenged(error, request) : error, host);
    }

    private challenged(problem: Problem, request: Request): Problem {
      const challenge = this.challenge(problem, request);
      if (!challenge) return problem;
      const { kind, message, errors, extra, cause } = problem;
      const headers = { ...problem.headers, 'WWW-Authenticate': challenge };
      return new Problem(kind, message, { errors, extra, cause, headers });
    }

    private challenge({ code, extra }: Problem, request: Request): string | null {
      if (code === unauthenticated.code)
        return this.resources.challenge(target, bearer(request) ? { error: 'invalid_token' } : {});
      if (code !== insufficientScope.code) return null;
      return this.resources.challenge(target, { error: 'insufficient_scope', scope: String(extra?.scope) });
    }
  }
  return Challenge;
}

const ApiChallenge = challengeFor('api');
const McpChallenge = challengeFor('mcp');

/** A controller of the API: it takes access tokens for `/v1`, and no other credential. Its module imports the OauthModule. */
export const ApiResource = () => applyDecorators(Authenticate('api-token'), UseFilters(ApiChallenge));

/** The same for assistants: access tokens for `/v1/mcp`, and no other credential. */
export const McpResource = () => applyDecorators(Authenticate('mcp-token'), UseFilters(McpChallenge));
