import { Skeleton, Stack } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import type { UseQueryExecute, UseQueryState } from 'urql';
import { problemOf } from '../api/problem.ts';
import { ProblemNote } from './problem-note.tsx';

interface Props<Data> {
  asked: Pick<UseQueryState<Data>, 'data' | 'error' | 'fetching'>;
  again?: UseQueryExecute;
  /** What stands there meanwhile, after 200 ms; a few grey lines otherwise. */
  meanwhile?: ReactNode;
  children: (data: Data) => ReactNode;
}

/** What was asked for, once it is here. What was there before stays while it is asked for again. */
export function Loaded<Data>({ asked: { data, error }, again, meanwhile, children }: Props<Data>) {
  const note = error && (
    <ProblemNote problem={problemOf(error)} again={again && (() => again({ requestPolicy: 'network-only' }))} />
  );
  if (data)
    return (
      <>
        {note}
        {children(data)}
      </>
    );
  return note ?? <Late>{meanwhile ?? <GreyLines />}</Late>;
}

/** Nothing flickers: what answers within 200 ms shows no sign of waiting. */
export function Late({ children }: { children: ReactNode }) {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 200);
    return () => clearTimeout(timer);
  }, []);
  return isLate ? children : null;
}

const GreyLines = () => (
  <Stack gap="sm" aria-busy="true" aria-label="Loading">
    {[60, 90, 75].map((width) => (
      <Skeleton key={width} height={18} width={`${width}%`} radius="sm" />
    ))}
  </Stack>
);
