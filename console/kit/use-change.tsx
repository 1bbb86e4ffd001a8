import { notifications } from '@mantine/notifications';
import { useCallback, useState } from 'react';
import { type AnyVariables, type DocumentInput, useClient } from 'urql';
import { type Problem, problemOf } from '../api/problem.ts';
import { announceProposedChange } from './proposed-change.ts';
import { reauthenticate } from './reauthentication.tsx';

interface Options<Data> {
  /** Success notification. */
  done?: string | ((data: Data) => string);
  onDone?: (data: Data) => void;
  onRefused?: (problem: Problem) => void;
  /** Nothing has changed, because a second administrator has to confirm the change. */
  onProposed?: () => void;
  /** Shows an error as a notification. Default: false, the caller shows `problem`. */
  isLoud?: boolean;
}

export interface Change<Data, Variables> {
  /** The data, or null after an error. */
  send(variables: Variables): Promise<Data | null>;
  problem: Problem | null;
  isSending: boolean;
  forget(): void;
}

/**
 * One mutation. Where the server requires a fresh sign-in, asks for it and sends the mutation again. Where it requires a
 * second administrator, a dialog says so. Queries that contain one of the types in the result are refetched.
 */
export function useChange<Data, Variables extends AnyVariables>(
  mutation: DocumentInput<Data, Variables>,
  { done, onDone, onRefused, onProposed, isLoud }: Options<Data> = {},
): Change<Data, Variables> {
  const client = useClient();
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isSending, setSending] = useState(false);

  const send = async (variables: Variables): Promise<Data | null> => {
    setSending(true);
    setProblem(null);
    try {
      for (;;) {
        const { data, error } = await client.mutation(mutation, variables).toPromise();
        if (data && !error) {
          if (done) notifications.show({ message: typeof done === 'string' ? done : done(data), color: 'sign' });
          onDone?.(data);
          return data;
        }
        const refused = problemOf(error!);
        if (refused.code === 'reauthentication-required' && (await reauthenticate())) continue;
        if (refused.code === 'change-proposed') {
          onProposed?.();
          announceProposedChange(refused);
          return null;
        }
        setProblem(refused);
        onRefused?.(refused);
        if (isLoud) notifications.show({ title: 'Action failed', message: refused.message, color: 'red' });
        return null;
      }
    } finally {
      setSending(false);
    }
  };

  return { send, problem, isSending, forget: useCallback(() => setProblem(null), []) };
}

/** The error of one field: pointer "/input/name" belongs to "name". */
export const faultOf = (problem: Problem | null, field: string): string | undefined =>
  problem?.errors.find(({ pointer }) => pointer.endsWith(`/${field}`))?.detail;

/** The errors of a list field and of its entries, in one line. */
export function listFaultOf(problem: Problem | null, field: string): string | undefined {
  const own = faultOf(problem, field);
  const entries = (problem?.errors ?? []).flatMap(({ pointer, detail }) => {
    const index = new RegExp(`/${field}/(\\d+)$`).exec(pointer)?.[1];
    return index === undefined ? [] : [`Entry ${Number(index) + 1}: ${detail}`];
  });
  return [...(own ? [own] : []), ...entries].join('. ') || undefined;
}
