import type { ResultNotice } from '../connections/tools.service.js';
import type { CallEdit, CallOutcome } from '../gate/gate.service.js';

/** What the organization's rules found in the result. */
export function noticeMeta(outcome: CallOutcome): { 'countersign/result'?: ResultNotice } {
  const notice = 'result' in outcome ? outcome.result?.notice : undefined;
  return notice ? { 'countersign/result': notice } : {};
}

/** Who edited the arguments of the call before it was approved, and the arguments that ran. */
export function editMeta({ edit }: CallOutcome): { 'countersign/edit'?: Omit<CallEdit, 'text'> } {
  return edit ? { 'countersign/edit': { editedBy: edit.editedBy, arguments: edit.arguments } } : {};
}
