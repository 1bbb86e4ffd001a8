import type { ActionType, SchemaJson, TypeOfAttribute } from '@cedar-policy/cedar-wasm/nodejs';
import type { RecordShape, Shape } from './argument-shape.js';

export type ActionEffect = 'read' | 'write' | 'destructive';
export const actionEffects: readonly ActionEffect[] = ['read', 'write', 'destructive'];

/** The attributes of `context`. It has no others. */
export const contextNames = ['arguments', 'surface', 'tainted', 'time'] as const;
export type ContextName = (typeof contextNames)[number];
export const policySurfaces = ['a2a', 'mcp', 'api', 'cli', 'console'] as const;

export interface SchemaTool {
  name: string;
  effect: ActionEffect;
  record: RecordShape;
  /** The context attributes passed to Cedar. Omitted: all of them. */
  contextFields?: readonly ContextName[];
}

/** The Cedar schema for these tools. Each tool is an action in the group of its effect. */
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
