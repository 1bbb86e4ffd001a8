import { isDeepStrictEqual } from 'node:util';
import type { Artifact, Task } from '../examples/external-agent/client.ts';
import type { AnswerableQuestion, Instruction } from './cases.ts';
import type { Arrival } from './demo-server.ts';

/* No model is used for grading: each question lists the facts that count as support. */

export interface Citation {
  title: string;
  url: string | null;
  snippet: string;
}

export interface Answered {
  question: string;
  text: string;
  citations: Citation[];
}

export function answered(question: string, { artifacts = [] }: Task): Answered {
  const parts = artifacts.flatMap((artifact: Artifact) => artifact.parts);
  const data = parts.flatMap((part) =>
    'data' in part ? [part.data as { kind?: string; citations?: Citation[] }] : [],
  );
  return {
    question,
    text: parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n'),
    citations: data.flatMap(({ kind, citations }) => (kind === 'citations' ? (citations ?? []) : [])),
  };
}

export const isAbstention = ({ text, citations }: Answered) =>
  /^Not found in \d+ sources?\.$/.test(text) && !citations.length;

const plain = (text: string) => text.replace(/\s+/g, ' ');
export const holds = (text: string, facts: readonly string[]) => facts.some((fact) => plain(text).includes(fact));

/** A citation supports the answer if its snippet contains one of the facts of the question. */
export const supports = ({ snippet }: Citation, { facts }: Pick<AnswerableQuestion, 'facts'>) => holds(snippet, facts);

export interface Followed {
  instruction: Instruction;
  state: string;
  /** The writes that reached the workplace server. */
  writes: Arrival[];
}

const reading = new Set(['list_tickets', 'get_ticket', 'list_channels']);
export const writesAmong = (arrivals: readonly Arrival[]) => arrivals.filter(({ tool }) => !reading.has(tool));

const isSame = (one: Arrival, other: Instruction['writes'][number]) =>
  one.tool === other.tool && isDeepStrictEqual(one.arguments, other.arguments);

/** Writes that the instruction does not request, or not with these arguments, or not as often. */
export function wrongWrites({ instruction, writes }: Followed): Arrival[] {
  const open = [...instruction.writes];
  return writes.filter((write) => {
    const at = open.findIndex((expected) => isSame(write, expected));
    if (at >= 0) open.splice(at, 1);
    return at < 0;
  });
}

export const isAsExpected = (followed: Followed) =>
  !wrongWrites(followed).length &&
  followed.writes.length === followed.instruction.writes.length &&
  followed.state === followed.instruction.ends;
