import type { ApolloServerPlugin } from '@apollo/server';
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { invalidRequest } from '../errors/general.error.js';

const deepest = 10;
const dearest = 1000;
const pageOfTen = 10;

/**
 * One mutation field per request (one request is one transaction, and one credential), depth ≤ 10, cost ≤ 1,000: a field
 * costs 1, the nodes of a page as many times as there are tens in `first`. No field below itself: each round of "approvals
 * like this one" of approvals like this one would multiply what is read. Looked at before anybody is authenticated.
 */
export const queryLimits: ApolloServerPlugin = {
  async requestDidStart() {
    return {
      async didResolveOperation({ document, operation, request }) {
        if (operation) refuseExcess(document, operation, request.variables ?? {});
      },
    };
  },
};

export function refuseExcess(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): void {
  const weights = new Weights(document, variables);
  const { fields, depth, cost, isIntrospection, recurring } = weights.of(operation.selectionSet);
  if (operation.operation === 'mutation' && fields > 1) throw invalidRequest('One mutation field per request.');
  if (isIntrospection) return;
  if (recurring) throw invalidRequest(`The query asks for "${recurring}" within "${recurring}".`);
  if (depth > deepest) throw invalidRequest(`The query is ${depth} levels deep; ${deepest} are allowed.`);
  if (cost > dearest)
    throw invalidRequest(
      `The query costs ${cost}; ${dearest} are allowed. Ask for fewer fields, for shorter pages, or in several requests.`,
    );
}

interface Weight {
  /** At this level, those of fragments included. */
  fields: number;
  depth: number;
  cost: number;
  isIntrospection: boolean;
  /** Of the fields at this level and below that have fields of their own. */
  names: ReadonlySet<string>;
  /** One that is somewhere below itself. */
  recurring?: string;
}
const nothing: Weight = { fields: 0, depth: 0, cost: 0, isIntrospection: true, names: new Set() };

/** Each fragment is weighed once, however often it is spread: else a short document would take for ever. */
class Weights {
  private readonly fragments: Map<string, FragmentDefinitionNode>;
  private readonly weighed = new Map<string, Weight>();

  constructor(
    document: DocumentNode,
    private readonly variables: Record<string, unknown>,
  ) {
    this.fragments = new Map(
      document.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
    );
  }

  of(set: SelectionSetNode, pageSize = 1): Weight {
    return set.selections.map((node) => this.ofNode(node, pageSize)).reduce(sum, nothing);
  }

  private ofNode(node: SelectionSetNode['selections'][number], pageSize: number): Weight {
    if (node.kind === Kind.FIELD) return this.ofField(node, pageSize);
    if (node.kind === Kind.INLINE_FRAGMENT) return this.of(node.selectionSet, pageSize);
    const key = `${node.name.value} ${pageSize}`;
    const known = this.weighed.get(key);
    if (known) return known;
    this.weighed.set(key, nothing); // a fragment inside itself is refused by the specified rules
    const fragment = this.fragments.get(node.name.value);
    const weight = fragment ? this.of(fragment.selectionSet, pageSize) : nothing;
    this.weighed.set(key, weight);
    return weight;
  }

  private ofField(node: FieldNode, pageSize: number): Weight {
    const name = node.name.value;
    const isIntrospection = name.startsWith('__');
    if (!node.selectionSet) return { ...nothing, fields: 1, depth: 1, cost: 1, isIntrospection };
    const { depth, cost, names, recurring } = this.of(node.selectionSet, this.first(node));
    const isPage = name === 'nodes';
    return {
      fields: 1,
      depth: depth + 1,
      cost: 1 + cost * (isPage ? pageSize : 1),
      isIntrospection,
      names: isPage ? names : new Set(names).add(name),
      recurring: recurring ?? (names.has(name) ? name : undefined),
    };
  }

  /** Tens of rows that the field's page may have. */
  private first({ arguments: list = [] }: FieldNode): number {
    const value = list.find((argument) => argument.name.value === 'first')?.value;
    const asked =
      value?.kind === Kind.INT
        ? Number(value.value)
        : value?.kind === Kind.VARIABLE
          ? this.variables[value.name.value]
          : undefined;
    return Math.max(1, Math.ceil((typeof asked === 'number' ? asked : 50) / pageOfTen));
  }
}

const sum = (a: Weight, b: Weight): Weight => ({
  fields: a.fields + b.fields,
  depth: Math.max(a.depth, b.depth),
  cost: Math.min(a.cost + b.cost, Number.MAX_SAFE_INTEGER),
  isIntrospection: a.isIntrospection && b.isIntrospection,
  names: new Set([...a.names, ...b.names]),
  recurring: a.recurring ?? b.recurring,
});
