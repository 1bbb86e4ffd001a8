import { Fragment, type ReactNode } from 'react';
import './facts.css';

/** Labelled values, one on each line. Null and false are left out. */
export const Facts = ({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) => (
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
);
