import { Get } from '@nestjs/common';
import { z } from 'zod';
import { callNotFound } from '../gate/gate.error.js';
import { OwnCalls } from '../gate/own-calls.service.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { ApiController } from './api-controller.decorator.js';
import { call, callOnWire } from './calls.wire.js';
import { Asked, type InputOf, operation, Serves } from './operation.js';
import { inPath, sample } from './schemas.js';

const getCall = operation({
  id: 'getCall',
  tag: 'Tools',
  summary: 'What became of a call',
  description:
    'A call that waits for a person runs by itself once it is approved; ask here for its outcome. Calls of yours through this product, no others. An answer is shown again only while you could make the call.',
  scope: 'api:read',
  params: z.object({ id: inPath('The call, from "Location" or "callId"') }),
  answers: {
    200: {
      description: 'The call',
      schema: call,
      example: {
        id: sample.call,
        configuration: sample.configuration,
        tool: 'workplace__create_ticket',
        state: 'awaiting_approval',
        replayed: false,
        approval: { id: sample.approval, expiresAt: sample.time, notFourEyes: false },
        error: null,
        result: null,
      },
    },
  },
  problems: [callNotFound],
});

@ApiController('calls')
export class CallsController {
  constructor(private readonly calls: OwnCalls) {}

  @Get(':id')
  @Serves(getCall)
  async get(@CurrentPrincipal() principal: Principal, @Asked() { params }: InputOf<typeof getCall>) {
    const found = await this.calls.get(principal, params.id);
    return callOnWire(found.configurationId, found);
  }
}
