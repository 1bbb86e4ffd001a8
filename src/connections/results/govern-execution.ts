import { inspect } from 'node:util';
import { sha256 } from '../../platform/crypto/digest.js';
import { isolatedJob } from '../../platform/isolation/isolated-job.js';
import { runIsolated } from '../../platform/isolation/isolated-workers.js';
import { checkForeignSchema } from '../../platform/json-schema/foreign-schemas.js';
import type { JsonObject, JsonValue } from '../../platform/json/strict-json.js';
import { CallFault, Deferred } from '../connections.error.js';
import type { ToolResult } from '../connector-registry.service.js';
import type { OfferedTool } from '../offered-tool.js';
import { redactResult, type ResultSearch, withholdResult } from './redact-result.js';
import { describeNotice, isSearched, type ResultNotice } from '../result-rules.js';
import { mayMarkFields } from './schema-marks.js';

/** Longer results are searched in a worker process. */
const maxInlineLength = 16 * 1024;

const job = isolatedJob<ResultSearch, ToolResult>(
  'result-rules',
  new URL('./redact-result.isolated.js', import.meta.url),
  { cpuMs: 5000, residentMb: 400 },
);

interface GovernedCall {
  tenantId: string;
  tool: OfferedTool;
  args: JsonObject;
}

/**
 * Applies the rules of a tool to everything that executing it returns or throws. No other code receives the original:
 * not the caller, the model, the ledger, the log or a trace.
 */
export async function governExecution(call: GovernedCall, execute: () => Promise<ToolResult>): Promise<ToolResult> {
  let result: ToolResult;
  try {
    result = await execute();
  } catch (error) {
    throw await governError(call, error);
  }
  return { ...(await governResult(call, result)), originalHash: hashOf(result) };
}

/** Of the content as the connector returned it. */
const hashOf = ({ content, structured, isError }: ToolResult): string =>
  sha256(JSON.stringify({ content, structured, isError })).toString('hex');

async function governResult(call: GovernedCall, result: ToolResult): Promise<ToolResult> {
  const { tool, args } = call;
  const governed = await search(call, result);
  if (!governed.notice || result.isError) return governed;
  if (governed.structured === undefined) return { ...governed, ...structureOf(tool, args, governed) };
  return governed.notice.action === 'redacted' ? withMatchingStructure(call, governed) : governed;
}

/** A replacement may not match the output schema, which clients rely on: then the structure is left out. */
async function withMatchingStructure({ tenantId, tool }: GovernedCall, result: ToolResult): Promise<ToolResult> {
  const { outputSchema } = tool;
  const { structured, ...rest } = result;
  if (!outputSchema || structured === undefined) return result;
  const key = `result ${sha256(JSON.stringify(outputSchema)).toString('hex')}`;
  const outcome = await checkForeignSchema({ tenantId, key, schema: outputSchema }, structured);
  const isMatching = 'unusable' in outcome || ('faults' in outcome && !outcome.faults.length);
  if (isMatching) return result;
  const { content } = result;
  const isInText = content.length > 1; // besides the note
  return isInText ? rest : { ...rest, content: [{ type: 'text', text: JSON.stringify(structured) }, ...content] };
}

/** Fails closed: a result that cannot be searched is withheld. */
async function search({ tenantId, tool }: GovernedCall, result: ToolResult): Promise<ToolResult> {
  const { resultRules: rules, outputSchema = null } = tool;
  if (!rules || !isSearched(rules)) return result;
  const marks = rules.protectedFields === 'ignore' || !mayMarkFields(outputSchema) ? null : outputSchema;
  const input = { rules, outputSchema: marks, result };
  try {
    const isShort = !marks && JSON.stringify(result).length <= maxInlineLength;
    return isShort ? redactResult(input) : await runIsolated(job, input, tenantId);
  } catch {
    return withholdResult(result, { action: 'withheld', found: { unchecked: 1 } });
  }
}

/** The protocol's operations other than tools have no content of their own: the note takes the place of the structure. */
function structureOf(
  { operation }: OfferedTool,
  args: JsonObject,
  { content }: ToolResult,
): { structured?: JsonValue } {
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  switch (operation) {
    case 'resources':
      return { structured: { contents: [{ uri: args.uri, mimeType: 'text/plain', text }] } };
    case 'prompts':
      return { structured: { messages: [{ role: 'user', content: { type: 'text', text } }] } };
    case 'completions':
      return { structured: { completion: { values: [] } } };
    default:
      return {};
  }
}

const maxInspectedDepth = 4;

/** Also removes what an error carries besides its message, such as its cause, if any of it contains a finding. */
async function governError(call: GovernedCall, error: unknown): Promise<unknown> {
  const { resultRules: rules } = call.tool;
  if (!(error instanceof CallFault) || !rules || !isSearched(rules)) return error;
  const { message, name, stack = '' } = error;
  const whole = await searchText(call, inspect(error, { depth: maxInspectedDepth, maxStringLength: maxInlineLength }));
  if (!whole.notice) return error;
  if (error instanceof Deferred) return governDeferral(call, error, whole.notice);
  const { text, notice } = await searchText(call, message);
  error.message = notice?.action === 'marked' ? `${text} ${describeNotice(notice)}` : text;
  error.notice = notice;
  delete error.cause;
  const head = `${name}: ${message}`; // a stack begins with the message
  error.stack = `${name}: ${error.message}${stack.startsWith(head) ? stack.slice(head.length) : ''}`;
  return error;
}

async function governDeferral(call: GovernedCall, deferral: Deferred, notice: ResultNotice): Promise<Deferred> {
  const { taskStatus, pollSeconds, isPolledByTask, isForeign } = deferral;
  const { message, ...status } = taskStatus;
  const governed = message === undefined ? undefined : await searchText(call, message);
  const isPassedOn = governed && governed.notice?.action !== 'withheld';
  const governedStatus = { ...status, ...(isPassedOn ? { message: governed.text } : {}) };
  return Object.assign(new Deferred(governedStatus, pollSeconds, isPolledByTask), { isForeign, notice });
}

/** The length of an error is limited anyway. */
async function searchText(call: GovernedCall, text: string): Promise<{ text: string; notice?: ResultNotice }> {
  const { tool } = call;
  const resultRules = tool.resultRules && { ...tool.resultRules, size: 'ignore' as const };
  const result = await search(
    { ...call, tool: { ...tool, resultRules } },
    { content: [{ type: 'text', text }], isError: true, outside: true },
  );
  const [first] = result.content;
  return { text: first.type === 'text' ? first.text : '', notice: result.notice };
}
