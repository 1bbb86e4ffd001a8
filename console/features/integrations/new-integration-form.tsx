import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { graphql } from '../../api/graphql.ts';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { Unsaved } from '../../kit/unsaved.tsx';
import { faultOf, useChange } from '../../kit/use-change.tsx';
import { ConnectorFields } from './connector-fields.tsx';
import type { Connector } from './connectors.ts';
import { changesOf, FieldInput, isEmpty, valuesOf } from './fields.tsx';
import { slugOf } from './slug.ts';

const mutation = graphql(`
  mutation CreateIntegration($input: CreateConnectionInput!) {
    createConnection(input: $input) {
      id
    }
  }
`);

interface Props {
  connector: Connector;
  /** Called after saving. Unmounts the form. */
  onCreated(id: string): void;
  cancel: ReactNode;
}

export function NewIntegrationForm({ connector, onCreated, cancel }: Props) {
  const empty = valuesOf(connector.fields, {});
  const [values, setValues] = useState(empty);
  const [names, setNames] = useState(hasNameFields(connector) ? { name: '', slug: '' } : namesFor(connector.title));
  const [isEditingNames, setEditingNames] = useState(false);
  const { send, problem, isSending } = useChange(mutation);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const { settings, secrets } = changesOf(connector.fields, empty, values);
    const data = await send({ input: { kind: connector.id, ...names, settings, secrets } });
    if (data) onCreated(data.createConnection.id);
  };

  const faults = { name: faultOf(problem, 'name'), slug: faultOf(problem, 'slug') };
  const showsNameFields = hasNameFields(connector) || isEditingNames || Boolean(faults.name ?? faults.slug);
  return (
    <form onSubmit={submit} aria-label={`Connect ${connector.title}`}>
      <Unsaved isDirty={JSON.stringify(values) !== JSON.stringify(empty)} />
      <Stack>
        {problem && <ProblemNote problem={problem} />}
        {showsNameFields && <NameFields names={names} onChange={setNames} faults={faults} />}
        <ConnectorFields
          connector={connector}
          isAlwaysShown={({ name }) => !isEmpty(values[name]) || faultOf(problem, name) !== undefined}
        >
          {(field) => (
            <FieldInput
              field={field}
              value={values[field.name]}
              error={faultOf(problem, field.name)}
              onChange={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
            />
          )}
        </ConnectorFields>
        {!showsNameFields && <DerivedNames names={names} change={() => setEditingNames(true)} />}
        <Group justify="flex-end">
          {cancel}
          <Button type="submit" loading={isSending}>
            Save and test connection
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface Names {
  name: string;
  slug: string;
}

const namesFor = (name: string): Names => ({ name, slug: slugOf(name) });

/** A connector with at most one field is named automatically, so that the form stays as short as possible. */
const hasNameFields = ({ fields }: Connector): boolean => fields.length > 1;

const DerivedNames = ({ names: { name, slug }, change }: { names: Names; change(): void }) => (
  <Text size="sm" c="dimmed">
    Name: {name}. Tool prefix: <code>{slug}</code>.{' '}
    <Anchor component="button" type="button" inherit onClick={change}>
      Edit names
    </Anchor>
  </Text>
);

interface NamingProps {
  names: Names;
  onChange(names: Names): void;
  faults: Partial<Names>;
}

/** Display name and tool prefix. The prefix follows the name until it is edited. */
function NameFields({ names: { name, slug }, onChange, faults }: NamingProps) {
  const rename = (to: string) => onChange({ name: to, slug: slug === slugOf(name) ? slugOf(to) : slug });
  return (
    <>
      <TextInput
        label="Display name"
        required
        maxLength={80}
        autoComplete="off"
        value={name}
        error={faults.name}
        onChange={({ currentTarget }) => rename(currentTarget.value)}
      />
      <TextInput
        label="Tool prefix"
        description="Starts every tool name. Can't be changed later. Use a-z, 0-9, “-”, and “_”; 24 characters at most."
        required
        maxLength={24}
        autoComplete="off"
        value={slug}
        error={faults.slug}
        onChange={({ currentTarget }) => onChange({ name, slug: currentTarget.value })}
      />
    </>
  );
}
