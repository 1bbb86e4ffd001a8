import {
  GraphQLError,
  Kind,
  type ASTVisitor,
  type FieldNode,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql';

const deepest = 10;
const dearest = 1000;

/** One mutation field per request (so that one request is one transaction), depth ≤ 10, cost ≤ 1,000 (a field costs 1, a list multiplies by ten). */
export function queryLimits(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition(operation) {
      const fields = operation.selectionSet.selections.length;
      if (operation.operation === 'mutation' && fields > 1) refuse(context, 'One mutation field per request.');
      const { depth, cost } = measure(context, operation.selectionSet, new Set());
      if (isIntrospection(operation.selectionSet)) return;
      if (depth > deepest) refuse(context, `The query is ${depth} levels deep; ${deepest} are allowed.`);
      if (cost > dearest)
        refuse(
          context,
          `The query costs ${cost}; ${dearest} are allowed. Ask for fewer fields, or in several requests.`,
        );
    },
  };
}

const isIntrospection = (set: SelectionSetNode) =>
  set.selections.every((node) => node.kind === Kind.FIELD && node.name.value.startsWith('__'));

function measure(
  context: ValidationContext,
  set: SelectionSetNode,
  open: Set<string>,
): { depth: number; cost: number } {
  let depth = 0;
  let cost = 0;
  for (const node of set.selections) {
    const inner = node.kind === Kind.FIELD ? field(context, node, open) : fragment(context, node, open);
    depth = Math.max(depth, inner.depth);
    cost += inner.cost;
  }
  return { depth, cost };
}

function field(context: ValidationContext, node: FieldNode, open: Set<string>) {
  if (!node.selectionSet) return { depth: 1, cost: 1 };
  const { depth, cost } = measure(context, node.selectionSet, open);
  return { depth: depth + 1, cost: 1 + cost * (node.name.value === 'nodes' ? 10 : 1) };
}

function fragment(
  context: ValidationContext,
  node: Exclude<SelectionSetNode['selections'][number], FieldNode>,
  open: Set<string>,
) {
  if (node.kind === Kind.INLINE_FRAGMENT) return measure(context, node.selectionSet, open);
  const name = node.name.value;
  const definition = context.getFragment(name);
  if (!definition || open.has(name)) return { depth: 0, cost: 0 };
  return measure(context, definition.selectionSet, new Set(open).add(name));
}

const refuse = (context: ValidationContext, message: string) => context.reportError(new GraphQLError(message));
