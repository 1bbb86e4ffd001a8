import { z } from 'zod';
import { invalidRequest, tooLarge } from '../platform/errors/general.error.js';
import type { InvalidField } from '../platform/errors/problem.js';
import { boundedList } from '../platform/http/read-json.js';
import { elementTexts, memberText } from '../platform/json/source-text.js';
import { parseStrict, StrictJsonError, type JsonValue } from '../platform/json/strict-json.js';

/* The format of a caller's message, the same for each protocol. */

export type SentPart = { text: string } | { data: JsonValue; dataText: string };
export interface MessageLimits {
  textBytes: number;
  parts: number;
  jsonDepth: number;
}

const partSchema = z
  .object({ text: z.string().min(1, 'may not be empty').optional(), data: z.unknown().optional() })
  .superRefine((sent, context) => {
    const hasData = sent.data !== undefined;
    if ((sent.text !== undefined) !== hasData) return;
    context.addIssue({ code: 'custom', message: hasData ? 'has both text and data' : 'needs text or data' });
  })
  .meta({
    description: 'Either text or data. `{"tool", "arguments"}` as data requests exactly that call.',
    oneOf: [{ required: ['text'] }, { required: ['data'] }],
  });

export const messageSchema = z.object({
  role: z.literal('user'),
  parts: boundedList(z.array(partSchema).min(1, 'may not be empty')),
});

/**
 * Reads the parts of the member `message` of a body. `source`: the body's text, from which data is copied byte for
 * byte.
 */
export function readParts(
  { parts }: z.output<typeof messageSchema>,
  source: string,
  limits: MessageLimits,
): SentPart[] {
  if (parts.length > limits.parts) {
    throw tooLarge(`A message may have at most ${limits.parts} parts.`, {
      errors: [{ pointer: '/message/parts', detail: `more than ${limits.parts}` }],
    });
  }
  const sources = elementTexts(memberText(memberText(source, 'message') ?? '', 'parts') ?? '');
  return parts.map((sent, index) => {
    const pointer = `/message/parts/${index}`;
    return sent.text === undefined
      ? dataPart(memberText(sources[index], 'data')!, `${pointer}/data`, limits)
      : textPart(sent.text, `${pointer}/text`, limits);
  });
}

export function textPart(
  text: string,
  pointer: string,
  { textBytes }: Pick<MessageLimits, 'textBytes'>,
): { text: string } {
  if (text.length > textBytes || Buffer.byteLength(text) > textBytes) {
    throw tooLarge(`A text part may have at most ${textBytes} bytes.`, {
      errors: [{ pointer, detail: `more than ${textBytes} bytes` }],
    });
  }
  return { text };
}

/**
 * Data may become the arguments of a call, so JSON that two parsers could read differently is rejected before it is
 * stored.
 */
function dataPart(
  dataText: string,
  pointer: string,
  { jsonDepth }: MessageLimits,
): { data: JsonValue; dataText: string } {
  try {
    return { data: parseStrict(dataText, { maxDepth: jsonDepth }), dataText };
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    const fault: InvalidField = { pointer: pointer + error.pointer, detail: error.reason };
    throw invalidRequest('The data of a part is not accepted.', { errors: [fault] });
  }
}
