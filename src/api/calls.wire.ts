import { z } from 'zod';
import type { CallOutcome } from '../gate/gate.service.js';
import { uuidSchema, timeSchema } from './schemas.js';

/* Calls of tools, on the wire. */

const toolResultSchema = z
  .object({
    content: z
      .array(z.looseObject({ type: z.enum(['text', 'image', 'audio', 'resource', 'resource_link']) }))
      .meta({ description: 'Content as MCP has it: `{type:"text", text}` and others' }),
    structured: z.unknown().meta({ description: 'The same as data, where the tool gives data; else null' }),
    url: z.string().nullable().meta({ description: 'Where a person can look at it' }),
  })
  .meta({ id: 'ToolResult' });

export const callSchema = z
  .object({
    id: uuidSchema,
    configuration: uuidSchema,
    tool: z.string(),
    state: z.enum(['awaiting_approval', 'executing', 'succeeded', 'denied', 'failed', 'unsettled']).meta({
      description:
        '`awaiting_approval`: a person has to decide; then it runs by itself. `unsettled`: it may have happened or not, until a person has found out.',
    }),
    replayed: z
      .boolean()
      .meta({ description: 'The same call was made a moment ago: this is its outcome, and nothing was done again' }),
    approval: z
      .object({
        id: uuidSchema,
        expiresAt: timeSchema,
        notFourEyes: z.boolean().meta({ description: 'The organization has one member, who confirms it alone' }),
      })
      .nullable()
      .meta({ description: 'While it waits for a person' }),
    error: z
      .object({ code: z.string(), detail: z.string() })
      .nullable()
      .meta({ description: 'Why it was denied, failed, or is unsettled' }),
    result: toolResultSchema.nullable(),
  })
  .meta({ id: 'Call', description: 'A call of a tool, and what became of it.' });

type WireCall = z.output<typeof callSchema>;

export function toApiCall(configuration: string, outcome: CallOutcome): WireCall {
  const { callId, tool, state, replayed = false } = outcome;
  return {
    id: callId,
    configuration,
    tool,
    state,
    replayed,
    ...callApproval(outcome),
    ...callError(outcome),
    ...callResult(outcome),
  };
}

function callApproval(outcome: CallOutcome): Pick<WireCall, 'approval'> {
  if (outcome.state !== 'awaiting_approval') return { approval: null };
  const { approvalId, expiresAt, notFourEyes } = outcome;
  return { approval: { id: approvalId, expiresAt: expiresAt.toISOString(), notFourEyes } };
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
