import { Anchor, Button, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Link, Navigate, useParams } from 'react-router';
import { graphql } from '../../api/graphql.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { Page } from '../../kit/page.tsx';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { Unsaved } from '../../kit/unsaved.tsx';
import { faultOf, useChange } from '../../kit/use-change.tsx';
import { changesOf, FieldInput, isEmpty, valuesOf } from './fields.tsx';
import { FieldsOf } from './fields-of-kind.tsx';
import { type Kind, useKinds } from './kinds.ts';
import { SetUp } from './set-up.tsx';
import { slugOf } from './slug.ts';

const mutation = graphql(`
  mutation CreateIntegration($input: CreateConnectionInput!) {
    createConnection(input: $input) {
      id
    }
  }
`);

const trail = [
  ['Integration settings', '/integrations'],
  ['Add integration', '/integrations/new'],
] as const;

export function Component() {
  const { kind: id } = useParams();
  const [madeId, setMadeId] = useState<string>();
  const [asked, again] = useKinds();
  const kind = asked.data?.connectionKinds.find((kind) => kind.id === id);
  // unmount the form before leaving the page, so that it reports no unsaved changes
  if (madeId) return <Navigate to={`/integrations/${madeId}`} replace />;
  return (
    <Page title={kind ? `Connect ${kind.title}` : 'Add integration'} trail={trail}>
      <Loaded asked={asked} again={again}>
        {() =>
          kind ? (
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
              <NewForm
                kind={kind}
                onMade={setMadeId}
                cancel={
                  <Button component={Link} to="/integrations/new" variant="default">
                    Back
                  </Button>
                }
              />
              <SetUp kind={kind} />
            </SimpleGrid>
          ) : (
            <Text>
              There is no connector with this name.{' '}
              <Anchor component={Link} to="/integrations/new">
                View all connectors
              </Anchor>
              .
            </Text>
          )
        }
      </Loaded>
    </Page>
  );
}

interface Props {
  kind: Kind;
  /** Called after saving. Unmounts the form. */
  onMade(id: string): void;
  cancel: ReactNode;
}

export function NewForm({ kind, onMade, cancel }: Props) {
  const empty = valuesOf(kind.fields, {});
  const [values, setValues] = useState(empty);
  const [naming, setNaming] = useState(asksForNames(kind) ? { name: '', slug: '' } : namedAfter(kind.title));
  const [isAsked, setAsked] = useState(false);
  const { send, problem, isSending } = useChange(mutation);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const { settings, secrets } = changesOf(kind.fields, empty, values);
    const data = await send({ input: { kind: kind.id, ...naming, settings, secrets } });
    if (data) onMade(data.createConnection.id);
  };

  const faults = { name: faultOf(problem, 'name'), slug: faultOf(problem, 'slug') };
  const isNamed = asksForNames(kind) || isAsked || Boolean(faults.name ?? faults.slug);
  return (
    <form onSubmit={submit} aria-label={`Connect ${kind.title}`}>
      <Unsaved isDirty={JSON.stringify(values) !== JSON.stringify(empty)} />
      <Stack>
        {problem && <ProblemNote problem={problem} />}
        {isNamed && <Naming naming={naming} onChange={setNaming} faults={faults} />}
        <FieldsOf kind={kind} isWanted={({ name }) => !isEmpty(values[name]) || faultOf(problem, name) !== undefined}>
          {(field) => (
            <FieldInput
              field={field}
              value={values[field.name]}
              error={faultOf(problem, field.name)}
              onChange={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
            />
          )}
        </FieldsOf>
        {!isNamed && <NamedAlready naming={naming} change={() => setAsked(true)} />}
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

interface Named {
  name: string;
  slug: string;
}

const namedAfter = (name: string): Named => ({ name, slug: slugOf(name) });

/** A connector with a single field is named automatically, so that only this field is shown. */
const asksForNames = ({ fields }: Kind): boolean => fields.length !== 1;

const NamedAlready = ({ naming: { name, slug }, change }: { naming: Named; change(): void }) => (
  <Text size="sm" c="dimmed">
    Name: {name}. Tool prefix: <code>{slug}</code>.{' '}
    <Anchor component="button" type="button" inherit onClick={change}>
      Edit names
    </Anchor>
  </Text>
);

interface NamingProps {
  naming: Named;
  onChange(naming: Named): void;
  faults: Partial<Named>;
}

/** Display name and tool prefix. The prefix follows the name until it is edited. */
function Naming({ naming: { name, slug }, onChange, faults }: NamingProps) {
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
