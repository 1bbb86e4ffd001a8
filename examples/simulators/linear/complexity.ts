import { Kind } from 'graphql';
import type { DocumentNode, FieldNode, FragmentDefinitionNode, SelectionSetNode } from 'graphql';

/** The points of a query: 0.1 per field, 1 per object, multiplied by the page size of connections. */
export function complexityOf(document: DocumentNode, variables: Record<string, unknown>): number {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  return operations.reduce((sum, { selectionSet }) => sum + costOf(selectionSet), 0);

  function costOf({ selections }: SelectionSetNode): number {
    return selections.reduce((sum, selection) => {
      if (selection.kind === Kind.FIELD) return sum + fieldCost(selection);
      if (selection.kind === Kind.INLINE_FRAGMENT) return sum + costOf(selection.selectionSet);
      return sum + costOf(fragments.get(selection.name.value)!.selectionSet);
    }, 0);
  }

  function fieldCost({ selectionSet, ...field }: FieldNode): number {
    if (!selectionSet) return 0.1;
    const isConnection = selectionSet.selections.some((one) => one.kind === Kind.FIELD && one.name.value === 'nodes');
    return isConnection ? firstOf(field) * costOf(selectionSet) : 1 + costOf(selectionSet);
  }

  function firstOf({ arguments: args = [] }: Pick<FieldNode, 'arguments'>): number {
    const value = args.find(({ name }) => name.value === 'first')?.value;
    if (value?.kind === Kind.INT) return Number(value.value);
    return value?.kind === Kind.VARIABLE ? Number(variables[value.name.value] ?? 50) : 50;
  }
}
