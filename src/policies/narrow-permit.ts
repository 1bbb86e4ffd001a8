import { sha256 } from '../platform/crypto/digest.js';
import type { EntityId } from './conditions.js';
import { annotationSpan, annotationValue, type PolicyTextStatement, splitStatements } from './policy-text.js';
import { cedarString } from './write-rule.js';

/** A permit for calls that are equal in everything that policies see but the time. */
export interface NarrowPermit {
  principal: EntityId;
  tool: string;
  connectionSlug: string;
  /** From `exactConditions` and `pinnedConditions`. */
  conditions: readonly string[];
}

const maxIdLength = 64;

/** The permit as a policy. `taken`: ids of other policies in the text. */
export function writeNarrowPermit(permit: NarrowPermit, taken: readonly string[] = []): string {
  const { principal, tool, connectionSlug, conditions } = permit;
  const scope = `principal == ${entity(principal)}, ${isTool(tool)}, resource == Connection::${cedarString(connectionSlug)}`;
  const body = `permit (${scope})${conditions.length ? `\n${writeClause('when', conditions)}` : ''};`;
  const id = freeId(body, taken, (fingerprint) => `exact call ${fingerprint} ${tool}`.slice(0, maxIdLength));
  return `@id(${cedarString(id)})\n${body}`;
}

/** An id that no policy has yet: an earlier copy or permit may still be in the text. */
function freeId(seed: string, taken: readonly string[], nameOf: (fingerprint: string) => string): string {
  const id = nameOf(sha256(seed).toString('hex').slice(0, 8));
  return taken.includes(id) ? freeId(`${seed} `, taken, nameOf) : id;
}

/**
 * The text with the permit, and without these calls in the policies that require an approval for them: otherwise the
 * approval would still be required. `policyIds`: these policies.
 *
 * A policy for several tools must not mention the arguments of one of them, because that would deny calls of another tool
 * whose argument of the same name Cedar cannot represent. It leaves the tool of this caller to a copy.
 */
export function addNarrowPermit(text: string, permit: NarrowPermit, policyIds: readonly string[]): string {
  const statements = splitStatements(text);
  const inserts: { at: number; addition: string }[] = [];
  const copies: string[] = [];
  const isCaller = `principal == ${entity(permit.principal)}`;
  const exception = writeClause('unless', [isCaller, ...permit.conditions]);
  const taken = statements.map(statementId);
  for (const [index, statement] of statements.entries()) {
    const id = taken[index];
    if (!policyIds.includes(id)) continue;
    if (isAboutTool(statement, permit.tool)) {
      inserts.push({ at: statement.end - 1, addition: `\n${exception}` });
    } else {
      inserts.push({ at: statement.end - 1, addition: `\nunless { ${isCaller} && ${isTool(permit.tool)} }` });
      copies.push(
        copyForCaller(statement, id, permit, {
          taken,
          clauses: [`when { ${[isCaller, ...ownActions(statement)].join(' && ')} }`, exception],
        }),
      );
    }
  }
  const excepted = inserts.reduceRight(
    (before, { at, addition }) => before.slice(0, at).trimEnd() + addition + before.slice(at),
    text,
  );
  return [excepted.trimEnd(), ...copies, writeNarrowPermit(permit, taken)].join('\n\n') + '\n';
}

/** As `parsePolicies` names the policies of a text. */
export const statementId = (statement: PolicyTextStatement, index: number): string =>
  annotationValue(statement, 'id') ?? `policy ${index + 1}`;

/** The same policy for one tool, under another name. */
function copyForCaller(
  statement: PolicyTextStatement,
  id: string,
  permit: NarrowPermit,
  { taken, clauses }: { taken: readonly string[]; clauses: string[] },
): string {
  const { text, start, tokens } = statement;
  const action = actionSpan(statement);
  const name = annotationSpan(statement, 'id');
  const seed = JSON.stringify([id, permit.principal, permit.tool]);
  const copyId = `@id(${cedarString(
    freeId(seed, taken, (fingerprint) => `${id.slice(0, 40)}: exact calls ${fingerprint}`),
  )})`;
  const parts = [
    ...(name ? [] : [copyId, '\n']),
    text.slice(0, (name ?? tokens[0]).start - start),
    ...(name ? [copyId, text.slice(name.end - start, action.start - start)] : [text.slice(0, action.start - start)]),
    isTool(permit.tool),
    text.slice(action.end - start, -1).trimEnd(),
    ...clauses.map((clause) => `\n${clause}`),
    ';',
  ];
  return parts.join('');
}

/** The second of the three parts of the scope. */
function actionSpan({ tokens }: PolicyTextStatement): { start: number; end: number; texts: string[] } {
  const permit = tokens.findIndex(
    ({ kind, text }, index) => kind === 'name' && text === 'permit' && tokens[index - 1]?.text !== '@',
  );
  let depth = 0;
  let commas = 0;
  const own: typeof tokens = [];
  for (const token of tokens.slice(permit + 1)) {
    if (token.text === '(' || token.text === '[') depth++;
    if (token.text === ')' || token.text === ']') depth--;
    if (token.text === ',' && depth === 1) commas++;
    else if (commas === 1) own.push(token);
    if (commas === 2) break;
  }
  return { start: own[0].start, end: own.at(-1)!.end, texts: own.map(({ text }) => text) };
}

/** The action constraint as a condition: the tool may be in its scope only because of its effect, which can change. */
function ownActions(statement: PolicyTextStatement): string[] {
  const { start, end, texts } = actionSpan(statement);
  return texts.length > 1 ? [statement.text.slice(start - statement.start, end - statement.start)] : [];
}

const isAboutTool = (statement: PolicyTextStatement, tool: string): boolean =>
  actionSpan(statement).texts.join(' ') === `action = = Action : : ${cedarString(tool)}`;

const writeClause = (kind: 'when' | 'unless', conditions: readonly string[]): string =>
  `${kind} {\n  ${conditions.join(' &&\n  ')}\n}`;
const entity = ({ type, id }: EntityId): string => `${type}::${cedarString(id)}`;
const isTool = (tool: string): string => `action == Action::${cedarString(tool)}`;
