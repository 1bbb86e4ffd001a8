import { useMemo, useState } from 'react';
import { shownValues, type ShownValue } from '../../../src/console/flatten-arguments.ts';
import { isGuessedSecret } from '../../../src/gate/guessed-secret.ts';

export interface LaidOpenValue extends ShownValue {
  /** Why it is not shown yet. */
  covered: 'folded' | 'hidden' | null;
}

export interface LaidOpen {
  values: LaidOpenValue[];
  /** How many are still to be opened. */
  left: number;
  open(path: string): void;
  openAll(): void;
}

/** The values of one call, each as it will run; long ones folded and guessed secrets hidden until somebody opens them. */
export function useLaidOpen(canonical: string): LaidOpen {
  const shown = useMemo(() => shownValues(JSON.parse(canonical)), [canonical]);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const values = shown.map((value) => ({ ...value, covered: opened.has(value.path) ? null : coverOf(value) }));
  return {
    values,
    left: values.filter(({ covered }) => covered).length,
    open: (path) => setOpened((before) => new Set([...before, path])),
    openAll: () => setOpened(new Set(shown.map(({ path }) => path))),
  };
}

function coverOf({ path, kind, isLong }: ShownValue): LaidOpenValue['covered'] {
  const saysSomething = kind === 'text' || kind === 'number';
  if (saysSomething && isGuessedSecret(path)) return 'hidden';
  return isLong ? 'folded' : null;
}
