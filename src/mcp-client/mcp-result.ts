import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { checkForeignSchema, type ForeignSchema } from '../platform/json-schema/foreign-schemas.js';
import type { JsonValue } from '../platform/json/strict-json.js';
import type { ToolContent, ToolResult } from '../connections/tools.service.js';
import { cleanText, cleanJson, isTooLarge } from './clean.js';

export const maxResultTextLength = 256 * 1024;
export const maxResultBlobLength = 1024 * 1024;

/** Converts an upstream's result: truncated, with text that PostgreSQL and clients accept. */
export async function toToolResult(answer: CallToolResult, outputSchema: ForeignSchema | null): Promise<ToolResult> {
  const budget = { text: maxResultTextLength, blob: maxResultBlobLength };
  const content = (answer.content ?? []).map((block) => toContent(block, budget));
  const structured = await structuredOf(answer, outputSchema);
  if (structured === schemaMismatch)
    content.push({
      type: 'text',
      text: '[Structured content left out: it does not match the output schema of the tool.]',
    });
  if (structured === structuredTooLarge)
    content.push({
      type: 'text',
      text: `[Structured content left out: it is larger than ${maxResultTextLength / 1024} KiB or nested too deeply.]`,
    });
  if (structured === schemaUnchecked)
    content.push({
      type: 'text',
      text: '[Structured content left out: validating it against the output schema of the tool takes too much time or memory.]',
    });
  const accepted = typeof structured === 'symbol' ? undefined : structured;
  return {
    content,
    structured: accepted,
    isError: answer.isError === true,
    url: urlOf(accepted, content),
    outside: true,
  };
}

/** Consumes the budget; content that does not fit is truncated or replaced by a notice. */
export function toContent(block: ContentBlock, budget: { text: number; blob: number }): ToolContent {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: takeText(block.text, budget) };
    case 'image':
    case 'audio':
      return takeBlob(block.data, budget)
        ? { type: block.type, data: block.data, mimeType: cleanText(block.mimeType) }
        : leftOutNotice(block.type);
    case 'resource': {
      const { uri, mimeType } = block.resource;
      const resource = { uri: cleanText(uri), ...(mimeType && { mimeType: cleanText(mimeType) }) };
      if ('text' in block.resource)
        return { type: 'resource', resource: { ...resource, text: takeText(block.resource.text, budget) } };
      return takeBlob(block.resource.blob, budget)
        ? { type: 'resource', resource: { ...resource, blob: block.resource.blob } }
        : leftOutNotice('resource');
    }
    case 'resource_link': {
      const { uri, name, title, description, mimeType } = block;
      const known = { title, description, mimeType };
      const cleaned = Object.fromEntries(
        Object.entries(known).flatMap(([key, text]) => (text ? [[key, takeText(text, budget)]] : [])),
      );
      return { type: 'resource_link', uri: cleanText(uri), name: cleanText(name), ...cleaned };
    }
  }
}

function takeText(text: string, budget: { text: number }): string {
  const whole = cleanText(text);
  const taken = whole.slice(0, budget.text).toWellFormed();
  budget.text -= taken.length;
  return taken.length < whole.length ? `${taken}\n[… ${whole.length - taken.length} characters left out]` : whole;
}

function takeBlob(data: string, budget: { blob: number }): boolean {
  budget.blob -= data.length;
  return budget.blob >= 0;
}

const leftOutNotice = (what: string): ToolContent => ({
  type: 'text',
  text: `[${what} left out: larger than ${maxResultBlobLength / 1024} KiB]`,
});

const schemaMismatch = Symbol('misfit');
const structuredTooLarge = Symbol('too large');
const schemaUnchecked = Symbol('unchecked');

async function structuredOf(
  { structuredContent, isError }: CallToolResult,
  outputSchema: ForeignSchema | null,
): Promise<JsonValue | undefined | typeof schemaMismatch | typeof structuredTooLarge | typeof schemaUnchecked> {
  if (structuredContent === undefined) return undefined;
  if (isTooLarge(structuredContent, maxResultTextLength)) return structuredTooLarge;
  const value = cleanJson(structuredContent);
  if (JSON.stringify(value).length > maxResultTextLength) return structuredTooLarge;
  if (isError || !outputSchema) return value;
  const outcome = await checkForeignSchema(outputSchema, value);
  if ('exceeded' in outcome) return schemaUnchecked;
  // an unusable schema makes no promise: that is its author's fault, and no reason to hide the result
  return 'unusable' in outcome || !outcome.faults.length ? value : schemaMismatch;
}

/** Where a person can see the result: a URL that the result names. */
function urlOf(structured: JsonValue | undefined, content: ToolContent[]): string | undefined {
  const named =
    typeof structured === 'object' && structured !== null && !Array.isArray(structured) ? structured.url : undefined;
  const linked = content.find((part) => part.type === 'resource_link');
  return [named, linked?.uri].find(
    (url): url is string =>
      typeof url === 'string' && /^https?:\/\//.test(url) && URL.canParse(url) && url.length <= 2000,
  );
}
