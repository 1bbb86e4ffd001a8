import type { Conversation, InputRequest } from '../../src/connections/conversation.port.ts';
import type { JsonObject, JsonValue } from '../../src/platform/json/strict-json.ts';

type Schema = { type?: string; default?: JsonValue; enum?: JsonValue[]; properties?: Record<string, Schema> };

/** Whoever makes the calls: can be asked everything, and agrees with what is proposed. */
export const caller: Conversation = {
  capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
  ask: async (requests) =>
    Object.fromEntries(Object.entries(requests).map(([name, request]) => [name, answerTo(request)])),
  progress: () => undefined,
  log: () => undefined,
};

function answerTo({ method, params }: InputRequest): JsonObject {
  if (method === 'roots/list') return { roots: [] };
  if (method === 'sampling/createMessage')
    return { role: 'assistant', model: 'none', content: { type: 'text', text: 'an answer' } };
  const { properties = {} } = (params?.requestedSchema ?? {}) as Schema;
  return { action: 'accept', content: valuesOf(properties) };
}

/** Something that fits each property: its default, where it has one. */
export const valuesOf = (properties: Record<string, Schema>): JsonObject =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, valueOf(schema)]));

function valueOf({ type, default: proposed, enum: choices, properties = {} }: Schema): JsonValue {
  if (proposed !== undefined) return proposed;
  if (choices) return choices[0];
  if (type === 'number' || type === 'integer') return 1;
  if (type === 'boolean') return true;
  if (type === 'array') return [];
  return type === 'object' ? valuesOf(properties) : 'text';
}
