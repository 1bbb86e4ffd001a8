import type { JsonObject, JsonValue } from '../../platform/json/strict-json.js';
import type { InstructionToken } from './tokens.js';
import { splitWords } from './tool-words.js';

export interface Field {
  name: string;
  schema: JsonObject;
  isRequired: boolean;
  topic?: Topic;
  isIdentifier: boolean;
  /** The word sequences that name the field in an instruction, longest first. */
  labels: string[][];
}

type Topic = keyof typeof topics;

/** Synonyms for field names. Used only if the tool has one field of the topic. */
const topics = {
  title: ['title', 'titled', 'subject', 'summary', 'named', 'called', 'name', 'heading'],
  body: ['body', 'description', 'text', 'message', 'content', 'details', 'saying', 'that says', 'reading', 'comment'],
  channel: ['channel', 'room'],
  project: ['project', 'board', 'queue'],
  person: ['assignee', 'assigned to', 'owner'],
  label: ['labels', 'label', 'tags', 'tag', 'labelled', 'tagged'],
  priority: ['priority', 'severity'],
  status: ['status', 'state'],
  identifier: ['id', 'key', 'number'],
};

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function fieldsOf(inputSchema: JsonObject): Field[] {
  const properties = isObject(inputSchema.properties) ? inputSchema.properties : {};
  const required = new Set(Array.isArray(inputSchema.required) ? inputSchema.required : []);
  const fields = Object.entries(properties).map(([name, schema]): Field => {
    const words = splitWords(name);
    return {
      name,
      schema: isObject(schema) ? schema : {},
      isRequired: required.has(name),
      topic: topicOf(words),
      isIdentifier: topics.identifier.includes(words.at(-1) ?? ''),
      labels: [words],
    };
  });
  // counted once, because a foreign schema may have thousands of fields
  const names = countsOf(fields.map(({ labels: [words] }) => words.join(' ')));
  const aboutTopic = countsOf(fields.map(({ topic }) => topic));
  for (const field of fields)
    field.labels = labelsOf(field, {
      isTaken: (label) => (names.get(label) ?? 0) > (label === field.labels[0].join(' ') ? 1 : 0),
      isAlone: aboutTopic.get(field.topic) === 1,
    });
  return fields;
}

/** `project`, `projectKey` and `project_id` have the topic `project`. `ticketId` has only the topic `identifier`. */
function topicOf(words: string[]): Topic | undefined {
  const named = (word: string) => (Object.keys(topics) as Topic[]).find((topic) => topics[topic].includes(word));
  return (words.length > 1 && isSuffix(words.at(-1)) ? named(words[0]) : undefined) ?? named(words.at(-1) ?? '');
}

const isSuffix = (word: string | undefined) =>
  topics.identifier.includes(word ?? '') || word === 'name' || word === 'slug';

interface Neighbours {
  /** Another field has this name. */
  isTaken(label: string): boolean;
  /** No other field has the same topic. */
  isAlone: boolean;
}

function labelsOf({ labels: [words], topic }: Field, { isTaken, isAlone }: Neighbours): string[][] {
  const labels = [words];
  if (words.length > 1 && isSuffix(words.at(-1))) labels.push(words.slice(0, -1));
  if (topic && isAlone) labels.push(...topics[topic].map((label) => label.split(' ')));
  return labels
    .filter((label, index) => label.length > 0 && (index === 0 || !isTaken(label.join(' '))))
    .sort((one, other) => other.length - one.length);
}

function countsOf<T>(values: readonly T[]): Map<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** Coerces a word only to the type in the schema. Undefined: the word cannot be a value of this field. */
export function valueOf(field: Field, token: InstructionToken): JsonValue | undefined {
  if (token.kind === 'mark') return undefined;
  const { schema } = field;
  if (Array.isArray(schema.enum))
    return onlyMatch(schema.enum.filter((member) => String(member).toLowerCase() === token.text.toLowerCase()));
  switch (schema.type) {
    case 'string':
      return token.text;
    case 'integer':
      return /^-?(0|[1-9]\d{0,14})$/.test(token.text) ? Number(token.text) : undefined;
    case 'number':
      return /^-?(0|[1-9]\d{0,14})(\.\d{1,4})?$/.test(token.text) ? Number(token.text) : undefined;
    case 'boolean':
      return { true: true, yes: true, false: false, no: false }[token.text.toLowerCase()];
    case 'array':
      return isObject(schema.items) ? asList(valueOf({ ...field, schema: schema.items }, token)) : undefined;
    default:
      return undefined;
  }
}

const onlyMatch = (matches: JsonValue[]): JsonValue | undefined => (matches.length === 1 ? matches[0] : undefined);
const asList = (value: JsonValue | undefined): JsonValue | undefined => (value === undefined ? undefined : [value]);
