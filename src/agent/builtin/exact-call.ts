import type { JsonValue } from '../../platform/json/strict-json.js';
import type { Part } from '../agent-model.port.js';
import { closingIndex, isJsonObject, jsonMembers } from './json-span.js';

export interface ExactCall {
  tool: string;
  /** The caller's source text. The gate parses it. */
  arguments: string;
}

export interface ExactCalls {
  calls: ExactCall[];
  /** Text next to the calls. */
  beside: string;
  /** Why an intended exact call is malformed. */
  problem?: string;
}

const toolName = '[A-Za-z0-9_-]{1,64}';
const callHead = new RegExp(`^(${toolName}__${toolName})\\s*:\\s*(?=\\{)`);
const wholeName = new RegExp(`^${toolName}$`);
/** Starts like a call, so it must not be read as an instruction. */
const callLike = new RegExp(`^${toolName}__${toolName}\\s*(?:$|[:({])`);

/**
 * Extracts the calls that a message spells out: a data part `{tool, arguments}`, or a text part that consists only of one or
 * more `tool: {json}`. Text that merely contains such a call is an instruction.
 */
export function exactCalls(parts: readonly Part[]): ExactCalls {
  const found: ExactCalls = { calls: [], beside: '' };
  for (const part of parts) {
    if ('text' in part) {
      const calls = fromText(part.text);
      if (calls) found.calls = found.calls.concat(calls);
      else if (callLike.test(part.text.trim()))
        found.problem ??= 'A text part with a call must contain only "tool: {arguments as JSON}".';
      else found.beside = [found.beside, part.text.trim()].filter(Boolean).join('\n');
    } else if ('data' in part && isMeantAsCall(part.data)) {
      const call = fromData(part.data, part.dataText);
      if (typeof call === 'string') found.problem ??= call;
      else found.calls.push(call);
    }
  }
  return found;
}

function fromText(text: string): ExactCall[] | null {
  const calls: ExactCall[] = [];
  let rest = text.trim();
  while (rest) {
    const match = callHead.exec(rest);
    if (!match) return null;
    const from = match[0].length;
    const to = closingIndex(rest, from);
    if (to < 0 || !isJsonObject(rest.slice(from, to))) return null;
    calls.push({ tool: match[1], arguments: rest.slice(from, to) });
    rest = rest.slice(to).trim();
  }
  return calls.length ? calls : null;
}

const isMeantAsCall = (data: JsonValue): data is { [key: string]: JsonValue } =>
  typeof data === 'object' && data !== null && !Array.isArray(data) && 'tool' in data;

function fromData(data: { [key: string]: JsonValue }, dataText?: string): ExactCall | string {
  const fields = jsonMembers(dataText ?? JSON.stringify(data));
  const extra = fields?.map((field) => field.key).filter((key) => key !== 'tool' && key !== 'arguments') ?? [];
  if (extra.length)
    return `A call must have only the members "tool" and "arguments", not ${extra.map((key) => `"${key}"`).join(', ')}.`;
  if (fields?.length !== 2) return 'A call must have the members "tool" and "arguments", each once.';
  if (typeof data.tool !== 'string' || !wholeName.test(data.tool)) return '"tool" is not the name of a tool.';
  const source = fields.find((field) => field.key === 'arguments')?.source ?? '';
  if (!isJsonObject(source)) return '"arguments" is not a JSON object.';
  return { tool: data.tool, arguments: source };
}

/** Names the fields of a call template that the caller did not fill in: `"title": "<title>"`. */
export function unfilled(call: ExactCall): string[] {
  const fields = jsonMembers(call.arguments) ?? [];
  return fields.filter(({ key, source }) => source === JSON.stringify(placeholder(key))).map(({ key }) => key);
}

export const placeholder = (field: string) => `<${field}>`;
