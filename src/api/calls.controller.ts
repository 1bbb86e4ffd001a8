import { Get } from '@nestjs/common';
import { z } from 'zod';
import { callNotFound } from '../gate/gate.error.js';
import { OwnCallsService } from '../gate/own-calls.service.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { ApiController } from './api-controller.decorator.js';
import { callSchema, toApiCall } from './calls.wire.js';
import { OperationRequest, type OperationInput, defineOperation, Serves } from './operation.js';
import { pathParameter, exampleValues } from './schemas.js';

const getCall = defineOperation({
  id: 'getCall',
  tag: 'Tools',
  summary: 'Get a call',
  description:
    'A call that is pending approval runs automatically once it is approved; get its outcome here. You see only your own calls through this product. The result is shown only while you are allowed to make the call.',
  scope: 'api:read',
  params: z.object({ id: pathParameter('Id of the call, from "Location" or "callId"') }),
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

@ApiController('calls')
export class CallsController {
  constructor(private readonly calls: OwnCallsService) {}

  @Get(':id')
  @Serves(getCall)
  async get(@CurrentPrincipal() principal: Principal, @OperationRequest() { params }: OperationInput<typeof getCall>) {
    const call = await this.calls.get(principal, params.id);
    return toApiCall(call.configurationId, call);
  }
}
