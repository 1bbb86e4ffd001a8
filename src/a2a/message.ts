import type { Request } from 'express';
import { z } from 'zod';
import { invalidRequest, tooLarge } from '../platform/errors/general.error.js';
import type { Fault } from '../platform/errors/problem.js';
import { parseBody, parseJson, rawJson } from '../platform/http/read-json.js';
import { parseStrict, StrictJsonError, type JsonValue } from '../platform/json/strict-json.js';
import { isTaskId } from '../tasks/tasks.service.js';
import { elementTexts, memberText } from './source-text.js';

/** What a caller sends: its own id for the task, and a message. Members that are not named here are ignored. */
export interface SentMessage {
  id: string;
  parts: ({ text: string } | { data: JsonValue; dataText: string })[];
}
export interface MessageLimits {
  textBytes: number;
  parts: number;
  jsonDepth: number;
}

const taskId = z.string().refine(isTaskId, 'has to be 1 to 128 characters of A-Z a-z 0-9 . _ : - and not "." or ".."');

const part = z
  .object({ text: z.string().min(1, 'may not be empty').optional(), data: z.unknown().optional() })
  .superRefine((sent, context) => {
    const hasData = sent.data !== undefined;
    if ((sent.text !== undefined) !== hasData) return;
    context.addIssue({ code: 'custom', message: hasData ? 'has both a text and data' : 'needs a text or data' });
  });

const body = z.object({
  id: taskId,
  message: z.object({ role: z.literal('user'), parts: z.array(part).min(1, 'may not be empty') }),
});

export function readMessage(request: Request, limits: MessageLimits): SentMessage {
  const text = rawJson(request);
  const { id, message } = parseBody(body, parseJson(text, limits.jsonDepth));
  if (message.parts.length > limits.parts) {
    throw tooLarge(`A message has at most ${limits.parts} parts.`, {
      errors: [{ pointer: '/message/parts', detail: `more than ${limits.parts}` }],
    });
  }
  const sources = elementTexts(memberText(memberText(text, 'message') ?? '', 'parts') ?? '');
  const parts = message.parts.map((sent, index) => {
    const pointer = `/message/parts/${index}`;
    return sent.text === undefined
      ? dataPart(memberText(sources[index], 'data')!, `${pointer}/data`, limits)
      : textPart(sent.text, `${pointer}/text`, limits);
  });
  return { id, parts };
}

function textPart(text: string, pointer: string, { textBytes }: MessageLimits): { text: string } {
  if (text.length > textBytes || Buffer.byteLength(text) > textBytes) {
    throw tooLarge(`A text part has at most ${textBytes} bytes.`, {
      errors: [{ pointer, detail: `more than ${textBytes} bytes` }],
    });
  }
  return { text };
}

/** Data may become a call's arguments: whatever two readers could take differently is refused before anything is made of it. */
function dataPart(
  dataText: string,
  pointer: string,
  { jsonDepth }: MessageLimits,
): { data: JsonValue; dataText: string } {
  try {
    return { data: parseStrict(dataText, { maxDepth: jsonDepth }), dataText };
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    const fault: Fault = { pointer: pointer + error.pointer, detail: error.reason };
    throw invalidRequest('The data of a part is not accepted.', { errors: [fault] });
  }
}
