import {
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  Lexer,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
  Source,
  TokenKind,
  visit,
} from 'graphql';
import { invalidRequest } from '../errors/general.error.js';

/**
 * Limits of one GraphQL document. They bound the time of parsing, validation and execution before any of them starts.
 */
export const documentLimits = {
  characters: 50_000,
  tokens: 2000,
  /** Brackets of any type within each other. */
  nesting: 64,
  /** Operations and fragments. */
  definitions: 40,
  aliases: 50,
  directives: 50,
  depth: 10,
  /** The usual introspection query follows `ofType` nine times. */
  introspectionDepth: 20,
  cost: 1000,
  /** The cost of arguments that are as long as the body limit. A variable counts for each use. */
  argumentCost: 600,
  /** How often one selection, with its fragments, may name the same field. Validation compares each pair of them. */
  repetitions: 20,
  /** Visited selections over all definitions. A fragment counts for each use. */
  visits: 4000,
};

/** The default of `LIMIT_BODY_BYTES`. */
const defaultBodyBytes = 1024 * 1024;
const defaultPageSize = 50;
const pageOfTen = 10;

/** Parses a query. One linear pass first rejects texts that are too long or too deep for the recursive parser. */
export function parseWithinLimits(text: string): DocumentNode {
  const { characters, tokens, nesting } = documentLimits;
  if (text.length > characters)
    throw invalidRequest(
      `The query has ${text.length} characters; ${characters} are allowed. Use variables for long values.`,
    );
  try {
    refuseLongSource(text);
    return parse(text, { maxTokens: tokens });
  } catch (error) {
    if (error instanceof GraphQLError) throw invalidRequest(error.message, { cause: error });
    throw error;
  }

  function refuseLongSource(source: string): void {
    const lexer = new Lexer(new Source(source));
    let depth = 0;
    for (let count = 0; lexer.advance().kind !== TokenKind.EOF;) {
      if (++count > tokens) throw invalidRequest(`The query has more than ${tokens} tokens.`);
      depth += bracketDepths.get(lexer.token.kind) ?? 0;
      if (depth > nesting) throw invalidRequest(`The query nests brackets more than ${nesting} levels deep.`);
    }
  }
}

const bracketDepths = new Map<string, number>([
  [TokenKind.BRACE_L, 1],
  [TokenKind.BRACKET_L, 1],
  [TokenKind.PAREN_L, 1],
  [TokenKind.BRACE_R, -1],
  [TokenKind.BRACKET_R, -1],
  [TokenKind.PAREN_R, -1],
]);

/** Whether any operation or fragment, used or not, reads the schema. `__typename` does not count. */
export function usesIntrospection(document: DocumentNode): boolean {
  let hasIntrospection = false;
  visit(document, { Field: (node) => void (hasIntrospection ||= isIntrospection(node)) });
  return hasIntrospection;
}

const isIntrospection = ({ name }: FieldNode) => name.value.startsWith('__') && name.value !== '__typename';

/**
 * Throws `invalid-request` for a document that is too expensive. Checks all definitions, including fragments and
 * introspection. A request has one mutation field (one request is one transaction with one credential). A field costs 1
 * plus the cost of its arguments. The nodes of a page cost this once for each ten rows of `first`. No field may be
 * nested in itself: each level of "similar approvals" of similar approvals would multiply the rows.
 */
export function enforceQueryLimits(
  document: DocumentNode,
  variables: Record<string, unknown> = {},
  {
    bodyBytes = defaultBodyBytes,
    meter = new QueryCostMeter(document, bodyBytes),
  }: { bodyBytes?: number; meter?: QueryCostMeter } = {},
): void {
  enforceSyntaxLimits(document);
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) meter.enforceLimits(definition, {});
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    meter.enforceLimits(definition, { ...variableDefaultsOf(definition), ...variables });
    if (definition.operation === 'mutation' && meter.fieldsAtRoot > 1)
      throw invalidRequest('One mutation field per request.');
  }
}

/** Counts syntax elements in one linear pass. */
function enforceSyntaxLimits(document: DocumentNode): void {
  const counts = { definitions: document.definitions.length, aliases: 0, directives: 0 };
  visit(document, {
    Field: (node) => void (node.alias && counts.aliases++),
    Directive: () => void counts.directives++,
  });
  for (const [name, count] of Object.entries(counts) as [keyof typeof counts, number][]) {
    const limit = documentLimits[name];
    if (count > limit) throw invalidRequest(`The query has ${count} ${name}; ${limit} are allowed.`);
  }
}

/** Integers as numbers, to read page sizes. Other values as source text, to measure their length. */
const variableDefaultsOf = ({ variableDefinitions = [] }: OperationDefinitionNode): Record<string, unknown> =>
  Object.fromEntries(
    variableDefinitions.flatMap(({ variable: { name }, defaultValue: given }) => {
      if (!given) return [];
      const { source, start, end } = given.loc!;
      return [[name.value, given.kind === Kind.INT ? Number(given.value) : source.body.slice(start, end)]];
    }),
  );

interface QueryLevel {
  depth: number;
  /** Names of the ancestor fields. */
  path: ReadonlySet<string>;
  isIntrospection: boolean;
  /** Size of the enclosing page, in tens of rows. */
  tens: number;
}

/**
 * Walks selections the way validation and execution merge them: fields with the same response name form one group, also
 * across fragments. The number of visits over all definitions is limited, which stops the walk early if fragments
 * multiply.
 */
export class QueryCostMeter {
  visits = 0;
  fieldsAtRoot = 0;
  private readonly fragments: Map<string, FragmentDefinitionNode>;
  private variables: Record<string, unknown> = {};
  /** Characters of arguments, and of variables by name. */
  private readonly sizes = new Map<ArgumentNode | string, number>();

  constructor(
    document: DocumentNode,
    private readonly bodyBytes = defaultBodyBytes,
  ) {
    this.fragments = new Map(
      document.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
    );
  }

  enforceLimits(root: OperationDefinitionNode | FragmentDefinitionNode, variables: Record<string, unknown>): void {
    this.variables = variables;
    this.sizes.clear();
    const isIntrospection = root.kind === Kind.FRAGMENT_DEFINITION && root.typeCondition.name.value.startsWith('__');
    const groups = this.merge([root.selectionSet]);
    this.fieldsAtRoot = [...groups.values()].reduce((count, { length }) => count + length, 0);
    const cost = this.costOf(groups, { depth: 1, path: new Set(), isIntrospection, tens: 1 });
    if (cost > documentLimits.cost) throw queryTooExpensive(String(cost));
  }

  /** Fields by response name. As in the specification, a fragment counts once per selection. */
  private merge(sets: SelectionSetNode[]): Map<string, FieldNode[]> {
    const groups = new Map<string, FieldNode[]>();
    const spread = new Set<string>();
    const open = [...sets];
    for (let set = open.pop(); set; set = open.pop()) {
      for (const node of set.selections) {
        if (++this.visits > documentLimits.visits) throw queryTooExpensive(`more than ${documentLimits.visits}`);
        if (node.kind === Kind.INLINE_FRAGMENT) open.push(node.selectionSet);
        else if (node.kind === Kind.FIELD) {
          const { value: key } = node.alias ?? node.name;
          const group = groups.get(key);
          if (group) group.push(node);
          else groups.set(key, [node]);
        } else if (!spread.has(node.name.value)) {
          spread.add(node.name.value);
          const fragment = this.fragments.get(node.name.value);
          if (fragment) open.push(fragment.selectionSet);
        }
      }
    }
    return groups;
  }

  private costOf(groups: Map<string, FieldNode[]>, level: QueryLevel): number {
    const maxDepth = level.isIntrospection ? documentLimits.introspectionDepth : documentLimits.depth;
    if (level.depth > maxDepth && groups.size)
      throw invalidRequest(`The query is more than ${maxDepth} levels deep; ${maxDepth} are allowed.`);
    let cost = 0;
    for (const fields of groups.values())
      cost = Math.min(cost + this.costOfGroup(fields, level), Number.MAX_SAFE_INTEGER);
    return cost;
  }

  private costOfGroup(fields: FieldNode[], level: QueryLevel): number {
    const [{ name }] = fields;
    if (fields.length > documentLimits.repetitions)
      throw invalidRequest(
        `The query names "${name.value}" ${fields.length} times in one place; ${documentLimits.repetitions} times are allowed.`,
      );
    const inside = level.isIntrospection || fields.some(isIntrospection);
    if (inside && fields.some(({ alias }) => alias)) throw invalidRequest('Introspection allows no aliases.');
    const sets = fields.flatMap(({ selectionSet }) => selectionSet ?? []);
    const own = fields.length + this.costOfArguments(fields[0]);
    if (!sets.length) return own;
    const below = this.costOf(this.merge(sets), {
      depth: level.depth + 1,
      path: pathBelow(level.path, fields),
      isIntrospection: inside,
      tens: Math.max(...fields.map((field) => this.tensOf(field))),
    });
    return own + below * (name.value === 'nodes' ? level.tens : 1);
  }

  /** Resolvers take time proportional to the length of an argument, and aliases multiply it. */
  private costOfArguments({ arguments: list = [] }: FieldNode): number {
    const size = list.reduce((sum, argument) => sum + this.sizeOf(argument), 0);
    return Math.floor((size * documentLimits.argumentCost) / this.bodyBytes);
  }

  /** Characters, including those of variables. Cached, because a fragment is visited for each use. */
  private sizeOf(argument: ArgumentNode): number {
    let size = this.sizes.get(argument);
    if (size === undefined) {
      size = argument.loc!.end - argument.loc!.start;
      visit(argument, { Variable: ({ name }) => void (size! += this.sizeOfVariable(name.value)) });
      this.sizes.set(argument, size);
    }
    return size;
  }

  private sizeOfVariable(name: string): number {
    const size = this.sizes.get(name) ?? (JSON.stringify(this.variables[name]) ?? '').length;
    this.sizes.set(name, size);
    return size;
  }

  /** Maximum size of the field's page, in tens of rows. */
  private tensOf({ arguments: list = [] }: FieldNode): number {
    const value = list.find((argument) => argument.name.value === 'first')?.value;
    const pageSize =
      value?.kind === Kind.INT
        ? Number(value.value)
        : value?.kind === Kind.VARIABLE
          ? this.variables[value.name.value]
          : undefined;
    return Math.max(1, Math.ceil((typeof pageSize === 'number' ? pageSize : defaultPageSize) / pageOfTen));
  }
}

/** Pages, and type wrappers in introspection, may be nested in themselves. */
const recursiveFields = new Set(['nodes', 'ofType']);

function pathBelow(path: ReadonlySet<string>, fields: FieldNode[]): ReadonlySet<string> {
  const names = [...new Set(fields.map(({ name }) => name.value))].filter((name) => !recursiveFields.has(name));
  const recurring = names.find((name) => path.has(name));
  if (recurring) throw invalidRequest(`The query nests the field "${recurring}" in itself.`);
  return new Set([...path, ...names]);
}

const queryTooExpensive = (cost: string) =>
  invalidRequest(
    `The query costs ${cost}; ${documentLimits.cost} are allowed. Use fewer fields, smaller pages, shorter arguments, or several requests.`,
  );
