import { Get, Injectable, Req } from '@nestjs/common';
import type { Request } from 'express';
import { z } from 'zod';
import { OpenRequestLimiter } from '../limits/open-request-limiter.service.js';
import { callNotFound } from '../gate/gate.error.js';
import { OwnCallsService } from '../gate/own-calls.service.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { callSchema, toApiCall } from './calls.wire.js';
import { OperationRequest, type OperationInput, defineOperation, Serves } from './operation.js';
import { pathParameter, exampleValues, integerParameter } from './schemas.js';

const getCall = defineOperation({
  id: 'getCall',
  tag: 'Tools',
  summary: 'Get a call',
  description:
    'A call that is pending approval runs automatically once it is approved; get its outcome here. You see only your own calls through this product. The result is shown only while you are allowed to make the call.',
  scope: 'api:read',
  params: z.object({ id: pathParameter('Id of the call, from "Location" or "callId"') }),
  query: z.strictObject({
    wait: integerParameter(0, 30)
      .default(0)
      .meta({ description: 'Maximum number of seconds to wait until the call ends' }),
  }),
  answers: {
    200: {
      description: 'The call',
      schema: callSchema,
      example: {
        id: exampleValues.call,
        configuration: exampleValues.configuration,
        tool: 'workplace__create_ticket',
        state: 'awaiting_approval',
        replayed: false,
        approval: { id: exampleValues.approval, expiresAt: exampleValues.time, notFourEyes: false },
        error: null,
        result: null,
        edit: null,
      },
    },
  },
  problems: [callNotFound],
});

@Injectable()
export abstract class MemberCallsController {
  constructor(
    private readonly calls: OwnCallsService,
    private readonly requests: OpenRequestLimiter,
  ) {}

  @Get(':id')
  @Serves(getCall)
  async get(
    @CurrentPrincipal() principal: Principal,
    @OperationRequest() { params, query }: OperationInput<typeof getCall>,
    @Req() request: Request,
  ) {
    const call = await (query.wait === 0
      ? this.calls.get(principal, params.id)
      : this.requests.run(principal, () =>
          this.calls.waitUntilSettled(principal, params.id, query.wait * 1000, closedSignal(request)),
        ));
    return toApiCall(call.configurationId, call);
  }
}

/** Aborts when the client disconnects. */
function closedSignal(request: Request): AbortSignal {
  const closed = new AbortController();
  request.res!.once('close', () => closed.abort());
  return closed.signal;
}
