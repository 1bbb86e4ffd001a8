import type { JsonObject } from '../../../platform/json/strict-json.js';
import { type Approved, ApprovedList } from '../approved/approved-list.js';
import { judgeFile, type JudgedFile } from './judge-file.js';
import type { Finding } from './subject.js';

export interface FileToJudge {
  file: JudgedFile;
  approved: readonly Approved[];
}

export interface FileJudged {
  findings: Finding[];
  approved: { id: string; hash: string; definition: JsonObject }[];
  forgottenIds: string[];
}

export function run(files: FileToJudge[]): FileJudged[] {
  const lists = new Map<readonly Approved[], ApprovedList>();
  return files.map(({ file, approved }) => {
    if (!lists.has(approved)) lists.set(approved, new ApprovedList(approved));
    const { findings, memory } = judgeFile(file, lists.get(approved)!);
    return {
      findings,
      approved: memory.approved.map(({ id, definitionHash: hash, definition }) => ({ id, hash, definition })),
      forgottenIds: memory.forgotten.map(({ id }) => id),
    };
  });
}
