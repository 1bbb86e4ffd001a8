import type { FaultKind } from './faults.ts';

type Row = Record<string, unknown>;
type Bend = (row: Row, place: number) => Row;

/** Fields of daily usage and of events that clients read. */
const renamed: Record<string, string> = { chatRequests: 'askRequests', chargedCents: 'costCents' };
const wrong = ['12', { value: 12 }, 12.5, [12], true];

const bends: Partial<Record<FaultKind, Bend>> = {
  'renamed-fields': (row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [renamed[name] ?? name, value])),
  'added-fields': (row) => ({ ...row, workspaceRegion: 'eu-north', reviewerScores: [{ score: 4 }], 'x-trace': null }),
  'wrong-types': (row, place) => (place % 3 ? row : { ...row, ...count(row, wrong[(place / 3) % wrong.length]) }),
  negative: (row, place) => (place % 3 ? row : { ...row, ...count(row, -7) }),
  'odd-emails': (row, place) => ({ ...row, ...oddEmail(row, place) }),
};

/** Returns the transformation for the active row faults. */
export function bent(kinds: Set<FaultKind>): Bend | undefined {
  const active = [...kinds].flatMap((kind) => bends[kind] ?? []);
  if (!active.length) return undefined;
  return (row, place) => active.reduce((bending, bend) => bend(bending, place), row);
}

function count(row: Row, value: unknown): Row {
  if ('agentRequests' in row) return { agentRequests: value };
  const tokens = row.tokenUsage as Row | undefined;
  return tokens ? { tokenUsage: { ...tokens, outputTokens: value } } : { requestsCosts: value };
}

function oddEmail(row: Row, place: number): Row {
  const name = 'userEmail' in row ? 'userEmail' : 'email';
  const email = row[name];
  return typeof email === 'string' ? { [name]: odd(email, place) } : {};
}

/** Different spellings of the same address. */
function odd(email: string, place: number): string {
  const [local, host] = [email.slice(0, email.indexOf('@')), email.slice(email.indexOf('@'))];
  return [email.toUpperCase(), ` ${email} `, `${local}+editor${host}`, `${local}${host}`.normalize('NFD'), email][
    place % 5
  ];
}
