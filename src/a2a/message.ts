import type { Request } from 'express';
import { z } from 'zod';
import { parseBody, parseJson, rawJson } from '../platform/http/read-json.js';
import { type MessageLimits, readParts, messageSchema, type SentPart } from '../tasks/messages.port.js';
import { isTaskId } from '../tasks/tasks.service.js';

/** The caller's own id for the task, and a message. Other members are ignored. */
export interface TaskSubmission {
  id: string;
  parts: SentPart[];
}

const taskIdSchema = z
  .string()
  .refine(isTaskId, 'has to be 1 to 128 characters of A-Z a-z 0-9 . _ : - and not "." or ".."');
const submissionSchema = z.object({ id: taskIdSchema, message: messageSchema });

export function readTaskSubmission(request: Request, limits: MessageLimits): TaskSubmission {
  const text = rawJson(request);
  const { id, message } = parseBody(submissionSchema, parseJson(text, limits.jsonDepth));
  return { id, parts: readParts(message, text, limits) };
}
