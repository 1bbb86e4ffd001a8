import { Fragment, type ReactNode } from 'react';
import { ExactTimesContext } from './exact-times.ts';
import './facts.css';

/** Labelled values, one on each line, with times in full. Null and false are left out. */
export const Facts = ({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) => (
  <ExactTimesContext value={true}>
    <dl className="facts">
      {facts
        .filter(([, value]) => value != null && value !== false)
        .map(([label, value]) => (
          <Fragment key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
    </dl>
  </ExactTimesContext>
);
