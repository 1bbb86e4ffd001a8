import type { JsonObject } from '../../platform/json/strict-json.js';
import type { Part } from '../../agent/agent-model.port.js';

/** The input schema of a tool that delegates a task. */
export const delegationInputSchema = (aboutData: string): JsonObject => ({
  type: 'object',
  properties: {
    message: {
      type: 'string',
      minLength: 1,
      maxLength: 100_000,
      description: 'The task, with everything that is needed to do it.',
    },
    data: { type: 'object', description: aboutData },
  },
  minProperties: 1,
  additionalProperties: false,
});

export const toDelegationParts = ({ message, data }: JsonObject): Part[] => [
  ...(message === undefined ? [] : [{ text: String(message) }]),
  ...(data === undefined ? [] : [{ data, dataText: JSON.stringify(data) }]),
];
