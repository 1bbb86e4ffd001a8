import { Code, Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { Facts } from '../../kit/facts.tsx';
import { count } from '../../kit/figures.ts';
import { Untrusted } from '../../kit/untrusted.tsx';
import { visible } from '../../kit/visible.ts';
import { When } from '../../kit/when.tsx';
import { Thing, typeOfIds } from './places.tsx';
import { heading } from './words.ts';

/** The facts that are specific to this kind of event. */
export const Detail = ({ facts, kind }: { facts: Record<string, unknown>; kind: string }) => (
  <Facts
    facts={Object.entries(facts).map(([name, value]): [string, ReactNode] => [
      visible(heading(typeOfIds(name) ?? name)),
      <Value key={name} name={name} value={value} kind={kind} />,
    ])}
  />
);

interface Props {
  name: string;
  value: unknown;
  kind: string;
}

function Value({ name, value, kind }: Props): ReactNode {
  if (value === null || value === '') return <Nothing />;
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'number') return name === 'ms' ? `${count(value)} ms` : count(value);
  if (typeof value === 'string') return <Words name={name} text={value} kind={kind} />;
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object'))
    return value.length ? <Several name={name} values={value} kind={kind} /> : <Nothing />;
  return (
    <Code block style={{ whiteSpace: 'pre-wrap' }}>
      <Untrusted text={JSON.stringify(value, null, 2)} />
    </Code>
  );
}

const Nothing = () => (
  <Text span inherit c="dimmed">
    None
  </Text>
);

const Several = ({ values, ...rest }: Omit<Props, 'value'> & { values: unknown[] }) =>
  values.map((value, at) => (
    <Fragment key={at}>
      {at > 0 && ', '}
      <Value value={value} {...rest} />
    </Fragment>
  ));

const isId = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const isHash = /^[\da-f]{64}$/;
const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

const Exact = ({ text }: { text: string }) => (
  <Text span inherit ff="monospace">
    {text}
  </Text>
);

function Words({ name, text, kind }: { name: string; text: string; kind: string }) {
  if (isTime.test(text)) return <When at={text} />;
  if (isHash.test(text)) return <Exact text={text} />;
  if (!isId.test(text)) return <Untrusted text={text} />;
  // groups in spend events are reporting units, not groups of members
  const type = kind.startsWith('spend') && /group/i.test(name) ? null : typeOfIds(name);
  return <Thing type={type ?? ''} id={text} />;
}
