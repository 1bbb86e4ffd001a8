import { Get } from '@nestjs/common';
import { z } from 'zod';
import { DecidableApprovalsService } from '../approvals/decidable-approvals.service.js';
import { Config } from '../platform/config/config.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { defineOperation, OperationRequest, type OperationInput, Serves } from '../rest/operation.js';
import { exampleValues, nextCursorSchema, pagingParameters, timeSchema, uuidSchema } from '../rest/schemas.js';
import { CliController } from './cli-controller.decorator.js';

const waitingApprovalSchema = z
  .object({
    id: uuidSchema,
    callId: uuidSchema,
    tool: z.string(),
    step: z.string().meta({ description: 'The approval step that the policy required' }),
    url: z.string().meta({ description: 'The page on which you decide, signed in' }),
    requestedAt: timeSchema,
    expiresAt: timeSchema,
  })
  .meta({ id: 'WaitingApproval' });

const listApprovals = defineOperation({
  id: 'listApprovals',
  tag: 'Approvals',
  summary: 'List the approvals that wait for you',
  description:
    'The approvals that you can decide now, newest first, without arguments. Nobody decides here: a decision needs a signed-in session, on the page of the approval.',
  scope: 'api:read',
  query: z.strictObject(pagingParameters),
  answers: {
    200: {
      description: 'A page of approvals',
      schema: z
        .object({ approvals: z.array(waitingApprovalSchema), nextCursor: nextCursorSchema })
        .meta({ id: 'ApprovalPage' }),
      example: {
        approvals: [
          {
            id: exampleValues.approval,
            callId: exampleValues.call,
            tool: 'workplace__create_ticket',
            step: 'team lead',
            url: `https://countersign.example/approvals/${exampleValues.approval}`,
            requestedAt: exampleValues.time,
            expiresAt: exampleValues.time,
          },
        ],
        nextCursor: null,
      },
    },
  },
  problems: [],
});

/** Read only: approvals are decided in signed-in sessions. */
@CliController('approvals')
export class ApprovalListController {
  constructor(
    private readonly approvals: DecidableApprovalsService,
    private readonly config: Config,
  ) {}

  @Get()
  @Serves(listApprovals)
  async list(
    @CurrentPrincipal() principal: Principal,
    @OperationRequest() { query }: OperationInput<typeof listApprovals>,
  ) {
    const { nodes, pageInfo } = await this.approvals.list(principal, { first: query.limit, after: query.cursor });
    return {
      approvals: nodes.map(({ id, callId, tool, stepName, createdAt, expiresAt }) => ({
        id,
        callId,
        tool,
        step: stepName,
        url: `${this.config.baseUrl}/approvals/${id}`,
        requestedAt: createdAt.toISOString(),
        expiresAt: expiresAt.toISOString(),
      })),
      nextCursor: pageInfo.hasNextPage ? pageInfo.endCursor : null,
    };
  }
}
