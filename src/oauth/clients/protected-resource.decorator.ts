import { applyDecorators, type ArgumentsHost, Catch, UseFilters } from '@nestjs/common';
import type { Request } from 'express';
import { Config } from '../../platform/config/config.js';
import { unauthenticated } from '../../platform/errors/general.error.js';
import { Problem } from '../../platform/errors/problem.js';
import { bearer } from '../../platform/http/bearer.js';
import { ProblemFilter } from '../../platform/http/problem.filter.js';
import { LogService } from '../../platform/telemetry/log.service.js';
import { Authenticate } from '../../principal/allow.decorator.js';
import type { ClientTarget } from '../client.entity.js';
import { insufficientScope } from './clients.error.js';
import { ProtectedResourcesService } from './protected-resources.service.js';

/**
 * Adds a challenge to refusals: the required scope and where to get a token (RFC 6750, section 3; RFC 9728, section
 * 5.1).
 */
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

/** For controllers of the API. They accept only access tokens for `/v1`. Their module must import the OauthModule. */
export const ApiResource = () => applyDecorators(Authenticate('api-token'), UseFilters(ApiChallenge));

/** For the MCP controller, which accepts only access tokens for `/v1/mcp`. */
export const McpResource = () => applyDecorators(Authenticate('mcp-token'), UseFilters(McpChallenge));
