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

/** Limits of one GraphQL document. They bound the time of parsing, validation and execution before any of them starts. */
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
  /** The cost of arguments as long as the longest body. A variable counts each time that it is used. */
  argumentCost: 600,
  /** How often one selection, with its fragments, may name the same field. Validation compares each pair of them. */
  repetitions: 20,
  /** Selections that are visited, each fragment as often as it is used, over all definitions. */
  visits: 4000,
};

/** The default of `LIMIT_BODY_BYTES`. */
const defaultBodyBytes = 1024 * 1024;
const defaultPageSize = 50;
const pageOfTen = 10;

/** Parses a query. Refuses what is too long or nested too deeply in one linear pass, before the recursive parser sees it. */
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

/** Whether any operation or fragment, used or not, asks for the schema. `__typename` does not. */
export function usesIntrospection(document: DocumentNode): boolean {
  let asks = false;
  visit(document, { Field: (node) => void (asks ||= isIntrospection(node)) });
  return asks;
}

const isIntrospection = ({ name }: FieldNode) => name.value.startsWith('__') && name.value !== '__typename';

/**
 * Throws `invalid-request` for a document that would cost too much. Looks at every definition, fragments and introspection
 * included. A request has one mutation field (one request is one transaction, and one credential). A field costs 1 and what its
 * arguments cost, the nodes of a page as many times as there are tens in `first`. No field may be nested in itself: each level of
 * "similar approvals" of similar approvals would multiply what is read.
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

/** Counts what is written, in one linear pass. */
function enforceSyntaxLimits(document: DocumentNode): void {
  const found = { definitions: document.definitions.length, aliases: 0, directives: 0 };
  visit(document, {
    Field: (node) => void (node.alias && found.aliases++),
    Directive: () => void found.directives++,
  });
  for (const [name, count] of Object.entries(found) as [keyof typeof found, number][]) {
    const most = documentLimits[name];
    if (count > most) throw invalidRequest(`The query has ${count} ${name}; ${most} are allowed.`);
  }
}

/** Integers as numbers, for page sizes; everything else as its source text, for its length. */
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
  /** Names of the fields above that have fields of their own. */
  path: ReadonlySet<string>;
  isIntrospection: boolean;
  /** Tens of rows in the page above. */
  tens: number;
}

/**
 * Walks selections as validation and execution merge them: fields of one response name, from fragments too, are one group.
 * The number of visits over all definitions is limited, so that fragments that multiply each other end the walk early.
 */
export class QueryCostMeter {
  visits = 0;
  fieldsAtRoot = 0;
  private readonly fragments: Map<string, FragmentDefinitionNode>;
  private variables: Record<string, unknown> = {};
  /** Of arguments, and of variables by name; in characters. */
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

  /** Fields by response name. A fragment counts once in one selection, as in the specification. */
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
    const most = level.isIntrospection ? documentLimits.introspectionDepth : documentLimits.depth;
    if (level.depth > most && groups.size)
      throw invalidRequest(`The query is more than ${most} levels deep; ${most} are allowed.`);
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
    if (inside && fields.some(({ alias }) => alias)) throw invalidRequest('Introspection takes no aliases.');
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

  /** Resolvers take time in proportion to the length of an argument, and aliases repeat it. */
  private costOfArguments({ arguments: list = [] }: FieldNode): number {
    const size = list.reduce((sum, argument) => sum + this.sizeOf(argument), 0);
    return Math.floor((size * documentLimits.argumentCost) / this.bodyBytes);
  }

  /** In characters, with those of its variables. Kept, because a fragment is visited each time that it is used. */
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

  /** Tens of rows that the field's page may have. */
  private tensOf({ arguments: list = [] }: FieldNode): number {
    const value = list.find((argument) => argument.name.value === 'first')?.value;
    const asked =
      value?.kind === Kind.INT
        ? Number(value.value)
        : value?.kind === Kind.VARIABLE
          ? this.variables[value.name.value]
          : undefined;
    return Math.max(1, Math.ceil((typeof asked === 'number' ? asked : defaultPageSize) / pageOfTen));
  }
}

/** Pages and the wrappers of a type in the schema may contain themselves. */
const recursiveFields = new Set(['nodes', 'ofType']);

function pathBelow(path: ReadonlySet<string>, fields: FieldNode[]): ReadonlySet<string> {
  const names = [...new Set(fields.map(({ name }) => name.value))].filter((name) => !recursiveFields.has(name));
  const recurring = names.find((name) => path.has(name));
  if (recurring) throw invalidRequest(`The query asks for "${recurring}" within "${recurring}".`);
  return new Set([...path, ...names]);
}

const queryTooExpensive = (cost: string) =>
  invalidRequest(
    `The query costs ${cost}; ${documentLimits.cost} are allowed. Ask for fewer fields, for shorter pages, with shorter arguments, or in several requests.`,
  );
