import { Alert, Button, Checkbox, Group, Stack, TextInput } from '@mantine/core';
import { IconAlertTriangle, IconUsers } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { useParams } from 'react-router';
import type { UseQueryExecute } from 'urql';
import { changedTargets } from '../../../src/connections/targets.ts';
import { graphql } from '../../api/graphql.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { Unsaved } from '../../kit/unsaved.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { faultOf, useChange } from '../../kit/use-change.tsx';
import { When } from '../../kit/when.tsx';
import { changesOf, FieldInput, isEmpty, type Values, valuesOf } from './fields.tsx';
import { FieldsOf } from './fields-of-kind.tsx';
import { type Integration, useIntegration } from './integration-query.ts';
import { type Field, type Kind, useKinds } from './kinds.ts';

const mutation = graphql(`
  mutation UpdateIntegration($input: UpdateConnectionInput!) {
    updateConnection(input: $input) {
      id
      revision
      status
    }
  }
`);

export function Component() {
  const { id = '' } = useParams();
  const [asked, again] = useIntegration(id);
  const [catalogue] = useKinds();
  return (
    <Loaded asked={asked} again={again}>
      {({ connection }) => (
        <Loaded asked={catalogue}>
          {({ connectionKinds }) => {
            const kind = connectionKinds.find(({ id }) => id === connection.kind);
            return kind && <Latest connection={connection} kind={kind} again={again} />;
          }}
        </Loaded>
      )}
    </Loaded>
  );
}

/** Keeps the form on the revision that it was opened with, and shows a notice when another person saves. */
function Latest({ connection, kind, again }: { connection: Integration; kind: Kind; again: UseQueryExecute }) {
  const [seen, setSeen] = useState(connection);
  const isOld = connection.revision !== seen.revision || connection.name !== seen.name;
  return (
    <>
      {isOld && <ChangedMeanwhile of={connection} takeOver={() => setSeen(connection)} />}
      <SettingsForm
        key={`${seen.revision} ${seen.name}`}
        connection={seen}
        kind={kind}
        onSaved={(saved) => setSeen({ ...connection, ...saved })}
        onOutdated={() => again({ requestPolicy: 'network-only' })}
      />
    </>
  );
}

const ChangedMeanwhile = ({ of: { changedAt, changedBy }, takeOver }: { of: Integration; takeOver(): void }) => (
  <Alert color="yellow" icon={<IconUsers aria-hidden />} title="Settings changed" role="status" mb="md">
    <Group justify="space-between">
      <span>
        <Untrusted text={changedBy?.name ?? 'Another person'} /> saved new settings <When at={changedAt} />. Your
        changes are still here, but not saved.
      </span>
      <Button size="compact-sm" variant="default" onClick={takeOver}>
        Discard my changes and reload
      </Button>
    </Group>
  </Alert>
);

/** Shown as a notice above the form instead of as an error. */
const changedMeanwhile = 'connection-changed';

interface FormProps {
  connection: Integration;
  kind: Kind;
  onSaved(saved: { name: string; revision: number; settings: Integration['settings'] }): void;
  /** Called when saving fails because there are newer settings and no change event arrived. */
  onOutdated(): void;
}

function SettingsForm({ connection, kind, onSaved, onOutdated }: FormProps) {
  const settings = connection.settings as Record<string, unknown>;
  const [before] = useState(() => valuesOf(kind.fields, settings));
  const [values, setValues] = useState<Values>(before);
  const [name, setName] = useState(connection.name);
  const [dropped, setDropped] = useState<string[]>([]);
  const { send, problem, isSending } = useChange(mutation, {
    done: ({ updateConnection: { status } }) =>
      status === 'failed' ? 'Saved, but the connection test failed.' : 'Saved. Connection test passed.',
    onRefused: ({ code }) => code === changedMeanwhile && onOutdated(),
  });

  const changes = changesOf(kind.fields, before, values);
  const secrets = { ...Object.fromEntries(dropped.map((name) => [name, null])), ...changes.secrets };
  const hasNewName = name.trim() !== connection.name;
  const isDirty = hasNewName || Object.keys({ ...changes.settings, ...secrets }).length > 0;
  const after = { ...settings, ...changes.settings };
  const clearing = connection.credentials.length ? changedTargets(kind, settings, after) : [];

  const faultIn = (name: string) => faultOf(problem, `settings/${name}`) ?? faultOf(problem, `secrets/${name}`);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const { id, revision } = connection;
    const input = { id, revision, ...(hasNewName && { name }), settings: changes.settings, secrets };
    const data = await send({ input });
    if (data) onSaved({ name: name.trim(), revision: data.updateConnection.revision, settings: after });
  };

  return (
    <form onSubmit={submit} aria-label="Settings">
      <Unsaved isDirty={isDirty && !isSending} />
      <Stack maw="36rem">
        {problem && problem.code !== changedMeanwhile && <ProblemNote problem={problem} />}
        <TextInput
          label="Display name"
          required
          maxLength={80}
          value={name}
          error={faultOf(problem, 'name')}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <FieldsOf kind={kind} isWanted={({ name }) => !isEmpty(values[name]) || faultIn(name) !== undefined}>
          {(field) => (
            <Entry
              field={field}
              isSet={connection.credentials.includes(field.name)}
              isCleared={clearing.length > 0}
              isDropped={dropped.includes(field.name)}
              drop={(isDropped) =>
                setDropped((names) =>
                  isDropped ? [...names, field.name] : names.filter((name) => name !== field.name),
                )
              }
              value={values[field.name]}
              error={faultIn(field.name)}
              onChange={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
            />
          )}
        </FieldsOf>
        {clearing.length > 0 && <Clears by={labelsOf(kind, clearing)} />}
        <Group justify="flex-end">
          <Button type="submit" loading={isSending} disabled={!isDirty}>
            Save and test connection
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const labelsOf = ({ fields }: Kind, names: readonly string[]) =>
  fields.filter(({ name }) => names.includes(name)).map(({ label }) => label);

const lists = new Intl.ListFormat('en', { type: 'conjunction' });

const Clears = ({ by }: { by: readonly string[] }) => (
  <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title="Saving clears the credentials">
    You changed: {lists.format(by)}. Credentials are only sent to the address that they were entered for. Enter them
    again above.
  </Alert>
);

interface EntryProps {
  field: Field;
  /** Whether a credential is stored. */
  isSet: boolean;
  isCleared: boolean;
  isDropped: boolean;
  drop(isDropped: boolean): void;
  value: Values[string];
  error?: string;
  onChange(value: Values[string]): void;
}

/** A setting or a credential. A stored credential is never shown. */
function Entry({ field, isSet, isCleared, isDropped, drop, ...input }: EntryProps) {
  if (field.type !== 'secret') return <FieldInput field={field} {...input} />;
  const isKept = isSet && !isCleared && !isDropped;
  return (
    <div>
      <FieldInput
        field={field}
        {...input}
        isRequired={field.required && !isKept}
        placeholder={isKept ? 'Stored. Leave empty to keep it' : undefined}
      />
      {isSet && !field.required && !isCleared && !input.value && (
        <Checkbox
          mt={6}
          size="sm"
          label={`Remove stored ${field.label.toLowerCase()}`}
          checked={isDropped}
          onChange={({ currentTarget }) => drop(currentTarget.checked)}
        />
      )}
    </div>
  );
}
