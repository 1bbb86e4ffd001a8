import { z } from 'zod';
import type { CallOutcome } from '../gate/gate.service.js';
import { uuidSchema, timeSchema } from './schemas.js';

/* The wire format of tool calls. */

const toolResultSchema = z
  .object({
    content: z
      .array(z.looseObject({ type: z.enum(['text', 'image', 'audio', 'resource', 'resource_link']) }))
      .meta({ description: 'Content in the format of MCP: `{type:"text", text}` and others' }),
    structured: z.unknown().meta({ description: 'Structured data, or null if the tool returns none' }),
    url: z.string().nullable().meta({ description: 'Page of the result for people' }),
  })
  .meta({ id: 'ToolResult' });

export const callSchema = z
  .object({
    id: uuidSchema,
    configuration: uuidSchema,
    tool: z.string(),
    state: z.enum(['awaiting_approval', 'executing', 'succeeded', 'denied', 'failed', 'unsettled']).meta({
      description:
        '`awaiting_approval`: a person has to decide; once approved, the call runs automatically. `unsettled`: the outcome is unknown until a person resolves it.',
    }),
    replayed: z
      .boolean()
      .meta({ description: 'The same call was made recently: this is its outcome, and nothing was executed again' }),
    approvalOverridden: z.literal(true).optional().meta({
      description: 'Set if a member with break-glass rights approved the call in place of its approvers',
    }),
    approval: z
      .object({
        id: uuidSchema,
        expiresAt: timeSchema,
        notFourEyes: z.boolean().meta({ description: 'Self-approved: the organization has only one member' }),
      })
      .nullable()
      .meta({ description: 'Set while a decision is pending' }),
    error: z
      .object({ code: z.string(), detail: z.string() })
      .nullable()
      .meta({ description: 'Why the call was denied or failed, or why its outcome is unknown' }),
    result: toolResultSchema.nullable(),
    edit: z
      .object({ editedBy: z.array(z.string()), arguments: z.record(z.string(), z.unknown()) })
      .nullable()
      .meta({ description: 'Approvers edited the arguments: their names, and the arguments that were approved' }),
  })
  .meta({ id: 'Call', description: 'A tool call and its outcome.' });

type WireCall = z.output<typeof callSchema>;

export function toApiCall(configuration: string, outcome: CallOutcome): WireCall {
  const { callId, tool, state, replayed = false } = outcome;
  return {
    id: callId,
    configuration,
    tool,
    state,
    replayed,
    ...(outcome.isOverridden ? { approvalOverridden: true as const } : {}),
    ...callApproval(outcome),
    ...callError(outcome),
    ...callResult(outcome),
    edit: outcome.edit ? { editedBy: outcome.edit.editedBy, arguments: outcome.edit.arguments } : null,
  };
}

function callApproval(outcome: CallOutcome): Pick<WireCall, 'approval'> {
  if (outcome.state !== 'awaiting_approval') return { approval: null };
  const { approvalId, expiresAt, selfApproved } = outcome;
  return { approval: { id: approvalId, expiresAt: expiresAt.toISOString(), notFourEyes: selfApproved } };
}

function callError(outcome: CallOutcome): Pick<WireCall, 'error'> {
  if (outcome.state === 'unsettled') return { error: { code: 'outcome-unsettled', detail: outcome.reason } };
  if (outcome.state !== 'denied' && outcome.state !== 'failed') return { error: null };
  return { error: { code: outcome.code, detail: outcome.reason } };
}

function callResult(outcome: CallOutcome): Pick<WireCall, 'result'> {
  if (!('result' in outcome) || !outcome.result) return { result: null };
  const { content, structured = null, url = null } = outcome.result;
  return { result: { content, structured, url } };
}
