import type { JsonObject } from '../../../platform/json/strict-json.js';
import { type ApprovedItem, ApprovedList } from '../approved/approved-list.js';
import { evaluateFile, type EvaluatedFile } from './evaluate-file.js';
import type { FindingRecord } from './finding-record.js';

export interface FileEvaluationInput {
  file: EvaluatedFile;
  approved: readonly ApprovedItem[];
}

export interface FileEvaluation {
  findings: FindingRecord[];
  approved: { id: string; hash: string; definition: JsonObject }[];
  forgottenIds: string[];
}

export function run(files: FileEvaluationInput[]): FileEvaluation[] {
  const lists = new Map<readonly ApprovedItem[], ApprovedList>();
  return files.map(({ file, approved }) => {
    if (!lists.has(approved)) lists.set(approved, new ApprovedList(approved));
    const { findings, memory } = evaluateFile(file, lists.get(approved)!);
    return {
      findings,
      approved: memory.approved.map(({ id, definitionHash: hash, definition }) => ({ id, hash, definition })),
      forgottenIds: memory.forgotten.map(({ id }) => id),
    };
  });
}
