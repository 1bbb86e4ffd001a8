import type { ResultNotice } from '../connections/tools.service.js';
import type { CallOutcome } from '../gate/gate.service.js';

/** What the organization's rules found in the result. */
export function noticeMeta(outcome: CallOutcome): { 'countersign/result'?: ResultNotice } {
  const notice = 'result' in outcome ? outcome.result?.notice : undefined;
  return notice ? { 'countersign/result': notice } : {};
}
