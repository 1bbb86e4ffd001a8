import { useState } from 'react';
import type { Policy } from './policy-query.ts';

/** The version that an edit is based on: the published revision and the draft. */
export interface Base {
  text: string;
  revision: number;
  /** Of the draft; null: no draft. */
  savedAt: string | null;
}

export const baseOf = ({ current, draft }: Policy): Base => ({
  text: draft?.text ?? current?.text ?? '',
  revision: current?.revision ?? 0,
  savedAt: draft?.savedAt ?? null,
});

const same = (a: Base, b: Base) => a.revision === b.revision && a.savedAt === b.savedAt;

/**
 * The text in the editor. Updates by other people are applied automatically while there are no unsaved changes;
 * otherwise they are reported as a conflict and the unsaved text is kept.
 */
export function useWorkbench(policy: Policy) {
  const there = baseOf(policy);
  const [base, setBase] = useState(there);
  const [text, setText] = useState(there.text);
  const [seen, setSeen] = useState(there);
  const [wasOvertaken, setOvertaken] = useState(false);
  const isDirty = text !== base.text;
  const goOnFrom = (next: Base) => {
    setBase(next);
    setOvertaken(false);
  };
  const take = (next: Base) => {
    goOnFrom(next);
    setText(next.text);
  };
  if (!same(seen, there)) {
    setSeen(there);
    if (!same(there, base)) {
      if (isDirty) setOvertaken(true);
      else take(there);
    }
  }
  return {
    text,
    setText,
    base,
    isDirty,
    isOvertaken: wasOvertaken && !same(there, base),
    goOnFrom,
    take,
    there,
  };
}

export type Workbench = ReturnType<typeof useWorkbench>;
