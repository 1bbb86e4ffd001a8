import { inputRequired, type InputRequests, type PrimitiveSchemaDefinition } from '@modelcontextprotocol/server';
import { type Asked, type Fixture, text } from '../fixture.ts';

type Answers = Record<string, Record<string, unknown>>;

/** Asks until there is an answer to everything. Written once: to a session of the older revisions the SDK sends requests. */
export function asks(requests: (asked: Asked) => InputRequests, done: (answers: Answers) => string): Fixture['call'] {
  return (asked) => {
    const inputRequests = requests(asked);
    const answers = answersTo(asked, Object.keys(inputRequests));
    return answers ? text(done(answers)) : inputRequired({ inputRequests });
  };
}

/** Of all of these, or none. What was not asked for is not looked at. */
export function answersTo({ context }: Pick<Asked, 'context'>, keys: string[]): Answers | undefined {
  const given = context.mcpReq.inputResponses ?? {};
  const answers = keys.map((key) => [key, given[key]] as const);
  return answers.every(([, answer]) => typeof answer === 'object' && answer !== null)
    ? (Object.fromEntries(answers) as Answers)
    : undefined;
}

export const form = (message: string, properties: Record<string, PrimitiveSchemaDefinition>) =>
  inputRequired.elicit({ message, requestedSchema: { type: 'object', properties, required: Object.keys(properties) } });

export const sample = (prompt: string, maxTokens = 100) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens });

/** What a person entered, or did instead. */
export const entered = ({ action, content }: Record<string, unknown>): string =>
  `action=${String(action)}, content=${JSON.stringify(content ?? {})}`;

export const sampled = ({ content }: Record<string, unknown>): string => {
  const [first] = [content].flat() as { text?: string }[];
  return first?.text ?? '';
};
