import type { Request } from 'express';
import { z } from 'zod';
import { parseBody, parseJson, rawJson } from '../platform/http/read-json.js';
import { type MessageLimits, readParts, sentMessage, type SentPart } from '../tasks/messages.service.js';
import { isTaskId } from '../tasks/tasks.service.js';

/** What a caller sends: its own id for the task, and a message. Members that are not named here are ignored. */
export interface SentMessage {
  id: string;
  parts: SentPart[];
}

const taskId = z.string().refine(isTaskId, 'has to be 1 to 128 characters of A-Z a-z 0-9 . _ : - and not "." or ".."');
const body = z.object({ id: taskId, message: sentMessage });

export function readMessage(request: Request, limits: MessageLimits): SentMessage {
  const text = rawJson(request);
  const { id, message } = parseBody(body, parseJson(text, limits.jsonDepth));
  return { id, parts: readParts(message, text, limits) };
}
