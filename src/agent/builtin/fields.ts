import type { JsonObject, JsonValue } from '../../platform/json/strict-json.js';
import type { Token } from './tokens.js';
import { split } from './tool-words.js';

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

/** Other ways to name a field; used only where a tool has a single field of the topic. */
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
  const required = Array.isArray(inputSchema.required) ? inputSchema.required : [];
  const fields = Object.entries(properties).map(([name, schema]): Field => {
    const words = split(name);
    return {
      name,
      schema: isObject(schema) ? schema : {},
      isRequired: required.includes(name),
      topic: topicOf(words),
      isIdentifier: topics.identifier.includes(words.at(-1) ?? ''),
      labels: [words],
    };
  });
  for (const field of fields) field.labels = labelsOf(field, fields);
  return fields;
}

/** `project`, `projectKey` and `project_id` are all about the project; `ticketId` is about no topic but what identifies. */
function topicOf(words: string[]): Topic | undefined {
  const named = (word: string) => (Object.keys(topics) as Topic[]).find((topic) => topics[topic].includes(word));
  return (words.length > 1 && isSuffix(words.at(-1)) ? named(words[0]) : undefined) ?? named(words.at(-1) ?? '');
}

const isSuffix = (word: string | undefined) =>
  topics.identifier.includes(word ?? '') || word === 'name' || word === 'slug';

function labelsOf(field: Field, all: readonly Field[]): string[][] {
  const words = split(field.name);
  const labels = [words];
  if (words.length > 1 && isSuffix(words.at(-1))) labels.push(words.slice(0, -1));
  if (field.topic && all.filter((other) => other.topic === field.topic).length === 1)
    labels.push(...topics[field.topic].map((label) => label.split(' ')));
  const taken = (label: string) => all.some((other) => other !== field && split(other.name).join(' ') === label);
  return labels
    .filter((label, index) => label.length > 0 && (index === 0 || !taken(label.join(' '))))
    .sort((one, other) => other.length - one.length);
}

/** Nothing is coerced beyond what the schema's type spells out; undefined where the word cannot be the field's value. */
export function valueOf(field: Field, token: Token): JsonValue | undefined {
  if (token.kind === 'mark') return undefined;
  const { schema } = field;
  if (Array.isArray(schema.enum))
    return only(schema.enum.filter((member) => String(member).toLowerCase() === token.text.toLowerCase()));
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

const only = (matches: JsonValue[]): JsonValue | undefined => (matches.length === 1 ? matches[0] : undefined);
const asList = (value: JsonValue | undefined): JsonValue | undefined => (value === undefined ? undefined : [value]);
