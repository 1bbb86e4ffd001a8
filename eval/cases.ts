import { readFileSync } from 'node:fs';

export interface AnswerableQuestion {
  question: string;
  /** Parts of the titles or URLs of the documents that contain the answer. */
  sources: string[];
  /** A citation supports the answer if it contains one of these verbatim. */
  facts: string[];
}

export interface Questions {
  answerable: AnswerableQuestion[];
  unanswerable: string[];
}

export interface Instruction {
  text?: string;
  data?: unknown;
  /** The writes that must reach the workplace server. Reads are not counted. */
  writes: { tool: string; arguments: unknown }[];
  ends: 'completed' | 'input-required' | 'failed';
}

const read = <T>(name: string) => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as T;

export const questions = () => read<Questions>('questions.json');
export const calibrationQuestions = () => read<Questions>('calibration.json');
export const instructions = () => read<Instruction[]>('instructions.json');
