import { useSyncExternalStore } from 'react';
import type { Problem } from '../api/problem.ts';

/** The change that a mutation has just proposed instead of making it; undefined once its dialog is closed. */
let announcedId: string | undefined;
const listeners = new Set<() => void>();

function set(id: string | undefined): void {
  announcedId = id;
  listeners.forEach((listener) => listener());
}

export const announceProposedChange = ({ extra }: Problem): void => set(String(extra.proposedChangeId));
export const dismissProposedChange = (): void => set(undefined);

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const useAnnouncedChange = (): string | undefined => useSyncExternalStore(subscribe, () => announcedId);
