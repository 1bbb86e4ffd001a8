import { styleText } from 'node:util';
import type { DocumentFieldChange } from '../../../src/organization/document-diff.js';
import { environment } from '../../environment.js';
import { plainText } from '../../terminal/plain-text.js';
import { lineDiff } from './line-diff.js';
import type { PlanAnswer } from './organization-plan.js';

type Change = PlanAnswer['changes'][number];

const signs = { create: '+', update: '~', delete: '-' } as const;
const colors = { '+': 'green', '~': 'yellow', '-': 'red', ' ': 'dim' } as const;

const colored = (sign: keyof typeof colors, text: string): string =>
  environment.hasColor() ? styleText(colors[sign], text, { validateStream: false }) : text;

/** The plan for people, line by line. */
export function formatPlan({ changes, unchanged, unmanaged }: PlanAnswer, { showsUnmanaged = true } = {}): string[] {
  const lines = changes.flatMap((change) => [...formatChange(change), '']);
  const listed = showsUnmanaged ? unmanaged : [];
  const count = (action: Change['action']) => changes.filter((change) => change.action === action).length;
  const summary = changes.length
    ? `Plan: ${count('create')} to create, ${count('update')} to change, ${count('delete')} to delete, ${unchanged} unchanged.`
    : `No changes: the organization is as the files say (${unchanged} objects).`;
  return [
    ...lines,
    summary,
    ...(listed.length ? ['', 'Not in the files, so they stay as they are:'] : []),
    ...listed.map(({ kind, name }) => `  ${kind} ${plainText(name)}`),
  ];
}

function formatChange({ action, kind, name, fields }: Change): string[] {
  const sign = signs[action];
  const width = Math.max(0, ...fields.filter(isShort).map(({ path }) => plainText(path).length));
  return [
    colored(sign, `${sign} ${kind} ${plainText(name)}`),
    ...fields.flatMap((field) => (isShort(field) ? [formatField(field, width)] : formatText(field))),
  ];
}

function formatField({ path, before, after }: DocumentFieldChange, width: number): string {
  const sign = before === undefined ? '+' : after === undefined ? '-' : '~';
  const values = [before, after].filter((value) => value !== undefined).map(shown);
  return `    ${colored(sign, sign)} ${plainText(path).padEnd(width)}  ${values.join(' -> ')}`;
}

/** A text of several lines, as a difference of lines. */
function formatText({ path, before, after }: DocumentFieldChange): string[] {
  const lines = lineDiff(String(before ?? ''), String(after ?? ''));
  return [
    `    ${colored('~', '~')} ${plainText(path)}`,
    ...lines.map(({ sign, text }) => `        ${colored(sign, `${sign} ${plainText(text)}`)}`),
  ];
}

const isShort = ({ before, after }: DocumentFieldChange): boolean =>
  ![before, after].some((value) => typeof value === 'string' && value.includes('\n'));

const shown = (value: unknown): string => plainText(JSON.stringify(value));
