import type { ActionType, SchemaJson, TypeOfAttribute } from '@cedar-policy/cedar-wasm/nodejs';
import type { RecordShape, Shape } from './argument-shape.js';

export type ActionEffect = 'read' | 'write' | 'destructive';
export const actionEffects: readonly ActionEffect[] = ['read', 'write', 'destructive'];

/** What a policy can speak of, besides the arguments. `context` may hold nothing else. */
export const contextNames = ['arguments', 'surface', 'tainted', 'time'] as const;
export type ContextName = (typeof contextNames)[number];
export const policySurfaces = ['a2a', 'mcp', 'api', 'cli', 'console'] as const;

export interface SchemaTool {
  name: string;
  effect: ActionEffect;
  record: RecordShape;
  /** What Cedar is told of the context; absent: all of it. */
  contextFields?: readonly ContextName[];
}

/** Cedar's schema for the tools given: each is an action in the group of its effect. */
export function cedarSchema(tools: readonly SchemaTool[], bareActions: readonly string[] = []): SchemaJson<string> {
  const named = new Map<string, ActionType<string>>([...bareActions, ...actionEffects].map((id) => [id, {}]));
  for (const tool of tools) named.set(tool.name, action(tool));
  return {
    '': {
      entityTypes: {
        Group: {},
        Member: { memberOfTypes: ['Group'] },
        Agent: { memberOfTypes: ['Group'] },
        Connection: {},
      },
      actions: Object.fromEntries(named),
    },
  };
}

function action({ effect, record, contextFields = contextNames }: SchemaTool): ActionType<string> {
  const all: Record<ContextName, TypeOfAttribute<string>> = {
    arguments: cedarType(record),
    surface: { type: 'String' },
    tainted: { type: 'Boolean' },
    time: { type: 'Extension', name: 'datetime' },
  };
  return {
    memberOf: [{ id: effect }],
    appliesTo: {
      principalTypes: ['Member', 'Agent'],
      resourceTypes: ['Connection'],
      context: {
        type: 'Record',
        attributes: Object.fromEntries(contextFields.map((name) => [name, all[name]])),
      },
    },
  };
}

function cedarType(shape: Shape): TypeOfAttribute<string> {
  switch (shape.kind) {
    case 'long':
      return { type: 'Long' };
    case 'decimal':
      return { type: 'Extension', name: 'decimal' };
    case 'string':
      return { type: 'String' };
    case 'boolean':
      return { type: 'Boolean' };
    case 'set':
      return { type: 'Set', element: cedarType(shape.element) };
    case 'record':
      return {
        type: 'Record',
        attributes: Object.fromEntries(
          [...shape.attributes].map(([name, { shape: inner, required }]) => [name, { ...cedarType(inner), required }]),
        ),
      };
  }
}
