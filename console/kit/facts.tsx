import { Fragment, type ReactNode } from 'react';
import './facts.css';

/** What is known of something, a line each. What is null or false has none. */
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
