import { Code, Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { Facts } from '../../kit/facts.tsx';
import { count } from '../../kit/figures.ts';
import { Untrusted } from '../../kit/untrusted.tsx';
import { visible } from '../../kit/visible.ts';
import { When } from '../../kit/when.tsx';
import { RecordLink, typeOfIdField } from './record-link.tsx';
import { capitalizedName } from './labels.ts';

/** The facts that are specific to this kind of event. */
export const EventFields = ({ facts, kind }: { facts: Record<string, unknown>; kind: string }) => (
  <Facts
    facts={Object.entries(facts).map(([name, value]): [string, ReactNode] => [
      visible(capitalizedName(typeOfIdField(name) ?? name)),
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
  if (value === null || value === '') return <NoValue />;
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'number') return name === 'ms' ? `${count(value)} ms` : count(value);
  if (typeof value === 'string') return <TextValue name={name} text={value} kind={kind} />;
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object'))
    return value.length ? <ListValue name={name} values={value} kind={kind} /> : <NoValue />;
  return (
    <Code block style={{ whiteSpace: 'pre-wrap' }}>
      <Untrusted text={JSON.stringify(value, null, 2)} />
    </Code>
  );
}

const NoValue = () => (
  <Text span inherit c="dimmed">
    None
  </Text>
);

const ListValue = ({ values, ...rest }: Omit<Props, 'value'> & { values: unknown[] }) =>
  values.map((value, at) => (
    <Fragment key={at}>
      {at > 0 && ', '}
      <Value value={value} {...rest} />
    </Fragment>
  ));

const isId = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const isHash = /^[\da-f]{64}$/;
const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

const Monospace = ({ text }: { text: string }) => (
  <Text span inherit ff="monospace">
    {text}
  </Text>
);

function TextValue({ name, text, kind }: { name: string; text: string; kind: string }) {
  if (isTime.test(text)) return <When at={text} />;
  if (isHash.test(text)) return <Monospace text={text} />;
  if (!isId.test(text)) return <Untrusted text={text} />;
  // groups in spend events are reporting units, not groups of members
  const type = kind.startsWith('spend') && /group/i.test(name) ? null : typeOfIdField(name);
  return <RecordLink type={type ?? ''} id={text} isAlone />;
}
