import { Skeleton, Stack } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import type { UseQueryExecute, UseQueryState } from 'urql';
import { problemOf } from '../api/problem.ts';
import { isNotFound, NotFoundPage } from './not-found.tsx';
import { ProblemNote } from './problem-note.tsx';

interface Props<Data> {
  result: Pick<UseQueryState<Data>, 'data' | 'error' | 'fetching'>;
  refetch?: UseQueryExecute;
  /** Placeholder, shown after 200 ms; default: a few grey lines. */
  placeholder?: ReactNode;
  children: (data: Data) => ReactNode;
}

/** Renders the data of a query. During a refetch, the previous data stays. */
export function Loaded<Data>({ result: { data, error }, refetch, placeholder, children }: Props<Data>) {
  const problem = error && problemOf(error);
  if (!data && problem && isNotFound(problem)) return <NotFoundPage />;
  const note = problem && (
    <ProblemNote problem={problem} retry={refetch && (() => refetch({ requestPolicy: 'network-only' }))} />
  );
  if (data)
    return (
      <>
        {note}
        {children(data)}
      </>
    );
  return note ?? <Late>{placeholder ?? <GreyLines />}</Late>;
}

/** Avoids flicker: shows no loading state for responses within 200 ms. */
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
