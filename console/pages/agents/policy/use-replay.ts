import { useEffect, useRef, useState } from 'react';
import { useClient } from 'urql';
import { graphql, type ResultOf } from '../../../api/graphql.ts';
import { type Problem, problemOf } from '../../../api/problem.ts';

const query = graphql(`
  query ReplayPolicy($configurationId: ID!, $text: String!, $since: DateTime, $after: String) {
    replayPolicy(configurationId: $configurationId, text: $text, since: $since, after: $after) {
      calls
      total
      revision
      endCursor
      changes {
        callId
        taskId
        tool
        caller
        requestedAt
        before {
          verdict
          steps
        }
        after {
          verdict
          steps
        }
        reason
      }
      notEvaluated {
        callId
        tool
        gap
      }
    }
  }
`);

type Page = ResultOf<typeof query>['replayPolicy'];
export type ReplayedChange = Page['changes'][number];

export interface Replay {
  /** The text that is replayed. */
  text: string;
  state: 'running' | 'done' | 'cancelled' | 'failed';
  problem: Problem | null;
  /** The published revision that the text is compared with. */
  revision: number | null;
  total: number;
  /** Calls read so far. */
  calls: number;
  changes: ReplayedChange[];
  notEvaluated: Page['notEvaluated'];
}

interface ReplayControl {
  replay: Replay | null;
  start(text: string, since: Date | null): void;
  cancel(): void;
}

const emptyReplay = { problem: null, revision: null, total: 0, calls: 0, changes: [], notEvaluated: [] };

/** Replays recorded calls page by page, until none are left or the replay is cancelled. */
export function useReplay(configurationId: string): ReplayControl {
  const client = useClient();
  const [replay, setReplay] = useState<Replay | null>(null);
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);

  const run = async (text: string, since: Date | null, { signal }: AbortController) => {
    const load = (after: string | null) =>
      client
        .query(
          query,
          { configurationId, text, since: since?.toISOString() ?? null, after },
          { requestPolicy: 'network-only' },
        )
        .toPromise();
    let current: Replay = { ...emptyReplay, text, state: 'running' };
    let after: string | null = null;
    setReplay(current);
    while (current.state === 'running') {
      const { data, error } = await load(after);
      if (signal.aborted) return;
      // a new revision was published: the pages so far are compared with an outdated one
      if (data && current.revision !== null && data.replayPolicy.revision !== current.revision) {
        current = { ...emptyReplay, text, state: 'running' };
        after = null;
        setReplay(current);
        continue;
      }
      current = data
        ? withPage(current, data.replayPolicy)
        : { ...current, state: 'failed', problem: problemOf(error!) };
      after = data?.replayPolicy.endCursor ?? null;
      setReplay(current);
    }
  };

  return {
    replay,
    start: (text, since) => {
      running.current?.abort();
      running.current = new AbortController();
      void run(text, since, running.current);
    },
    cancel: () => {
      running.current?.abort();
      setReplay((one) => one && { ...one, state: 'cancelled' });
    },
  };
}

const withPage = (replay: Replay, page: Page): Replay => ({
  ...replay,
  state: page.endCursor ? 'running' : 'done',
  revision: page.revision,
  total: page.total ?? replay.total,
  calls: replay.calls + page.calls,
  changes: [...replay.changes, ...page.changes],
  notEvaluated: [...replay.notEvaluated, ...page.notEvaluated],
});
