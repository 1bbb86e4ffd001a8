import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { checkForeign, type ForeignSchema } from '../../platform/json-schema/foreign-schemas.js';
import type { JsonValue } from '../../platform/json/strict-json.js';
import type { Content, ToolResult } from '../tools.service.js';
import { clean, cleanJson, isTooLarge } from './clean.js';

export const mostText = 256 * 1024;
export const mostBlob = 1024 * 1024;

/** An upstream's answer in our words: cut to size, and of text that PostgreSQL and people can take. */
export async function toResult(answer: CallToolResult, outputSchema: ForeignSchema | null): Promise<ToolResult> {
  const room = { text: mostText, blob: mostBlob };
  const content = (answer.content ?? []).map((block) => toContent(block, room));
  const structured = await structuredOf(answer, outputSchema);
  if (structured === misfit)
    content.push({
      type: 'text',
      text: '[The structured part of the answer was left out: it does not have the form that the tool promises.]',
    });
  if (structured === tooLarge)
    content.push({
      type: 'text',
      text: `[The structured part of the answer was left out: it is larger than ${mostText / 1024} KiB, or nested too deeply.]`,
    });
  if (structured === unchecked)
    content.push({
      type: 'text',
      text: '[The structured part of the answer was left out: checking it by the schema that the tool declares takes too much time or memory.]',
    });
  const kept = typeof structured === 'symbol' ? undefined : structured;
  return { content, structured: kept, isError: answer.isError === true, url: urlOf(kept, content), outside: true };
}

/** Takes of `room` what it needs; what does not fit is cut or left out, and that is said in its place. */
export function toContent(block: ContentBlock, room: { text: number; blob: number }): Content {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: fitted(block.text, room) };
    case 'image':
    case 'audio':
      return fits(block.data, room)
        ? { type: block.type, data: block.data, mimeType: clean(block.mimeType) }
        : leftOut(block.type);
    case 'resource': {
      const { uri, mimeType } = block.resource;
      const resource = { uri: clean(uri), ...(mimeType && { mimeType: clean(mimeType) }) };
      if ('text' in block.resource)
        return { type: 'resource', resource: { ...resource, text: fitted(block.resource.text, room) } };
      return fits(block.resource.blob, room)
        ? { type: 'resource', resource: { ...resource, blob: block.resource.blob } }
        : leftOut('resource');
    }
    case 'resource_link': {
      const { uri, name, title, description, mimeType } = block;
      const known = { title, description, mimeType };
      const cleaned = Object.fromEntries(
        Object.entries(known).flatMap(([key, text]) => (text ? [[key, fitted(text, room)]] : [])),
      );
      return { type: 'resource_link', uri: clean(uri), name: clean(name), ...cleaned };
    }
  }
}

function fitted(text: string, room: { text: number }): string {
  const whole = clean(text);
  const taken = whole.slice(0, room.text).toWellFormed();
  room.text -= taken.length;
  return taken.length < whole.length ? `${taken}\n[… ${whole.length - taken.length} characters left out]` : whole;
}

function fits(data: string, room: { blob: number }): boolean {
  room.blob -= data.length;
  return room.blob >= 0;
}

const leftOut = (what: string): Content => ({
  type: 'text',
  text: `[${what} left out: larger than ${mostBlob / 1024} KiB]`,
});

const misfit = Symbol('misfit');
const tooLarge = Symbol('too large');
const unchecked = Symbol('unchecked');

async function structuredOf(
  { structuredContent, isError }: CallToolResult,
  outputSchema: ForeignSchema | null,
): Promise<JsonValue | undefined | typeof misfit | typeof tooLarge | typeof unchecked> {
  if (structuredContent === undefined) return undefined;
  if (isTooLarge(structuredContent, mostText)) return tooLarge;
  const value = cleanJson(structuredContent);
  if (JSON.stringify(value).length > mostText) return tooLarge;
  if (isError || !outputSchema) return value;
  const outcome = await checkForeign(outputSchema, value);
  if ('exceeded' in outcome) return unchecked;
  // a schema that cannot be used promises nothing: its author's fault, and no reason to hide the answer
  return 'unusable' in outcome || !outcome.faults.length ? value : misfit;
}

/** Where a person can look: an address that the answer names as its own. */
function urlOf(structured: JsonValue | undefined, content: Content[]): string | undefined {
  const named =
    typeof structured === 'object' && structured !== null && !Array.isArray(structured) ? structured.url : undefined;
  const linked = content.find((part) => part.type === 'resource_link');
  return [named, linked?.uri].find(
    (url): url is string =>
      typeof url === 'string' && /^https?:\/\//.test(url) && URL.canParse(url) && url.length <= 2000,
  );
}
